import FirnReport

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
