import FoundationEssentials
import FirnReport

/// A configuration file: a JSON object whose fields are named like the options.
///
/// Fields whose names begin with `_` are comments. An unknown field is an error, because a misspelled limit would not
/// be applied.
enum ConfigurationFile {
    /// Returns the values by option name; `nil` for values of a type that no option has.
    static func values(_ path: String) throws(ConfigurationError) -> [String: OptionValue?] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ConfigurationError("\(path): cannot be read")
        }
        guard data.count <= 1 << 20 else { throw ConfigurationError("\(path): is larger than 1 MiB") }
        let fields: Field
        do { fields = try JSONDecoder().decode(Field.self, from: data) } catch {
            throw ConfigurationError("\(path): is not valid JSON\(cause(error))")
        }
        guard case .object = fields else { throw ConfigurationError("\(path): is not a JSON object") }
        var values: [String: OptionValue?] = [:]
        try ConfigurationError.named(path) { try fields.collect("", into: &values) }
        return values
    }

    private static func cause(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context)? = error as? DecodingError,
            let underlying = context.underlyingError
        else { return "" }
        return String(": \(underlying)".prefix(200).replacing("\n", with: " "))
    }

    private enum Field: Decodable {
        case object([String: Field])
        case value(OptionValue?)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            func read<Value: Decodable>(_ make: (Value) -> OptionValue) -> OptionValue? {
                (try? container.decode(Value.self)).map(make)
            }
            if let fields = try? container.decode([String: Field].self) {
                self = .object(fields)
            } else {
                self = .value(
                    read(OptionValue.text) ?? read(OptionValue.number) ?? read(OptionValue.flag)
                        ?? read(OptionValue.list))
            }
        }

        func collect(_ name: String, into values: inout [String: OptionValue?]) throws(ConfigurationError) {
            switch self {
            case .object(let fields):
                for (part, field) in fields.sorted(by: { $0.key < $1.key }) where !part.hasPrefix("_") {
                    try field.collect(name.isEmpty ? part : "\(name).\(part)", into: &values)
                }
            case _ where ServeOption[name] == nil: throw ConfigurationError("\(name): there is no such option")
            case .value(let value): values[name] = .some(value)
            }
        }
    }
}

/// The sources of options: a file, then the environment, then flags. Later sources take precedence.
package struct ConfigurationLayers: Sendable {
    /// The options of the command line, by name.
    package var flags: [String: OptionValue] = [:]
    var environment = ProcessInfo.processInfo.environment
    /// The path of a JSON file.
    package var file: String?

    package init() {}

    /// Reads all layers.
    ///
    /// - Throws: ``ConfigurationError`` for an unreadable file, unknown fields, values of the wrong kind or out of
    ///   range, and options that contradict each other.
    package func load() throws(ConfigurationError) -> LoadedConfiguration {
        var result = LoadedConfiguration()
        result.configuration.environment = environment
        let fields = try file.map { path throws(ConfigurationError) in try ConfigurationFile.values(path) } ?? [:]
        for option in ServeOption.all {
            guard let (origin, value) = lookUp(option, fields) else { continue }
            try ConfigurationError.named("\(origin): \(option.name)") {
                guard let value else { throw ConfigurationError("is not \(option.kind.rawValue)") }
                try option.write(&result.configuration, value)
            }
            result.origins[option.name] = origin
        }
        do throws(ConfigurationError) { try result.configuration.finish() } catch {
            let name = String(error.description.prefix { $0 != ":" && $0 != "," })
            throw ConfigurationError((result.origins[name].map { "\($0): " } ?? "") + error.description)
        }
        return result
    }

    /// Returns the origin of an option and its value, which is `nil` if it is of the wrong kind.
    private func lookUp(
        _ option: ServeOption, _ fields: [String: OptionValue?]
    ) -> (origin: String, value: OptionValue?)? {
        if let value = flags[option.name] { return ("flag --\(option.name.replacing(".", with: "-"))", value) }
        // Container tools pass empty variables, which count as unset.
        if let text = environment[option.variable], !text.isEmpty {
            return ("environment \(option.variable)", option.value(text))
        }
        for (variable, meaning) in option.others {
            guard let text = environment[variable], !text.isEmpty, !meaning(text).isEmpty else { continue }
            return ("environment \(variable)", option.value(meaning(text)))
        }
        return fields[option.name].map { (file ?? "", option.value($0)) }
    }
}

/// A configuration with the origin of each option.
package struct LoadedConfiguration: Sendable {
    package var configuration = ServeConfiguration()
    /// The origins of options that were set, by name.
    var origins: [String: String] = [:]

    /// The options without secrets: name, value, origin.
    package var rows: [(name: String, value: String, origin: String)] {
        ServeOption.all.map { ($0.name, $0.shown(configuration), origins[$0.name] ?? "default") }
    }
}

/// A valid example of a configuration file: all options with a default or an example, and fresh keys.
package enum ConfigurationExample {
    /// The file's text.
    package static func text() -> String {
        var groups: [(name: Substring?, fields: [String])] = []
        for option in ServeOption.all {
            let path = option.name.split(separator: ".")
            guard let value = value(of: option), let last = path.last else { continue }
            let name = path.count > 1 ? path.first : nil
            if name == nil || groups.last?.name != name { groups.append((name, [])) }
            let indent = name == nil ? "  " : "    "
            groups[groups.count - 1].fields.append(
                "\(indent)\"_\(last)\": \(JSONValue.string(option.about).text),\n\(indent)\"\(last)\": \(value.text)")
        }
        let lines = groups.map { group in
            let fields = group.fields.joined(separator: ",\n")
            return group.name.map { "  \"\($0)\": {\n\(fields)\n  }" } ?? fields
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n}"
    }

    /// 32 random bytes in hexadecimal digits. A file that is used unchanged must not have publicly known keys.
    private static func randomDigits() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }.hexadecimal
    }

    private static func value(of option: ServeOption) -> JSONValue? {
        if option.name == "key" || option.name == "salt" { return .string(randomDigits()) }
        guard let value = option.example ?? option.read(ServeConfiguration()), !option.isSecret else { return nil }
        switch value {
        case .text(let text): return .string(text)
        case .number(let number): return .int(number)
        case .flag(let flag): return .bool(flag)
        case .list(let list): return .array(list.map { .string($0) })
        }
    }
}
