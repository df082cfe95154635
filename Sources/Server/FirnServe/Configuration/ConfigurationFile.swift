import FoundationEssentials

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
