// Makers of options by the type of what they change.
extension ServeOption {
    typealias Place<Setting> = WritableKeyPath<ServeConfiguration, Setting> & Sendable

    static func text(
        _ name: String, _ place: any Place<String>, isSecret: Bool = false, isLive: Bool = false,
        example: OptionValue? = nil,
        _ about: String
    ) -> ServeOption {
        parsed(
            name, isSecret: isSecret, isLive: isLive, example: example, about, read: { $0[keyPath: place] },
            write: { (configuration, text) throws(ConfigurationError) in configuration[keyPath: place] = text })
    }

    static func optionalText(
        _ name: String, _ place: any Place<String?>, isLive: Bool = false, example: OptionValue? = nil, _ about: String
    ) -> ServeOption {
        parsed(
            name, isLive: isLive, example: example, about, read: { $0[keyPath: place] },
            write: { (configuration, text) throws(ConfigurationError) in
                configuration[keyPath: place] = text.isEmpty ? nil : text
            })
    }

    /// An option whose text is parsed by `write`.
    static func parsed(
        _ name: String, isSecret: Bool = false, isLive: Bool = false, example: OptionValue? = nil, _ about: String,
        read: @escaping @Sendable (ServeConfiguration) -> String?,
        write: @escaping @Sendable (inout ServeConfiguration, String) throws(ConfigurationError) -> Void
    ) -> ServeOption {
        ServeOption(
            name: name, kind: .text, about: about, isSecret: isSecret, isLive: isLive, example: example,
            read: { read($0).map { .text($0) } },
            write: { (configuration, value) throws(ConfigurationError) in
                guard case .text(let text) = value else { throw ConfigurationError("is not a text") }
                try write(&configuration, text)
            })
    }

    /// A whole number.
    static func number(
        _ name: String, in range: ClosedRange<Int>, isLive: Bool = true, _ about: String,
        read: @escaping @Sendable (ServeConfiguration) -> Int,
        write: @escaping @Sendable (inout ServeConfiguration, Int) -> Void
    ) -> ServeOption {
        ServeOption(
            name: name, kind: .number, about: about, isSecret: false, isLive: isLive, example: nil,
            read: { .number(read($0)) },
            write: { (configuration, value) throws(ConfigurationError) in
                guard case .number(let number) = value, range.contains(number) else {
                    throw ConfigurationError("is not a number from \(range.lowerBound) to \(range.upperBound)")
                }
                write(&configuration, number)
            })
    }

    static func number(
        _ name: String, _ place: any Place<Int>, in range: ClosedRange<Int>, isLive: Bool = true, _ about: String
    ) -> ServeOption {
        number(
            name, in: range, isLive: isLive, about, read: { $0[keyPath: place] },
            write: { $0[keyPath: place] = $1 })
    }

    /// A duration in whole seconds.
    static func seconds(
        _ name: String, _ place: any Place<Duration>, in range: ClosedRange<Int>, isLive: Bool = true, _ about: String
    ) -> ServeOption {
        number(
            name, in: range, isLive: isLive, about,
            read: { Int(clamping: $0[keyPath: place].components.seconds) },
            write: { $0[keyPath: place] = .seconds($1) })
    }

    static func flag(_ name: String, _ place: any Place<Bool>, isLive: Bool = false, _ about: String) -> ServeOption {
        ServeOption(
            name: name, kind: .flag, about: about, isSecret: false, isLive: isLive, example: nil,
            read: { .flag($0[keyPath: place]) },
            write: { (configuration, value) throws(ConfigurationError) in
                guard case .flag(let flag) = value else { throw ConfigurationError("is not true or false") }
                configuration[keyPath: place] = flag
            })
    }

    static func list(
        _ name: String, isSecret: Bool = false, example: OptionValue? = nil, _ about: String,
        read: @escaping @Sendable (ServeConfiguration) -> [String],
        write: @escaping @Sendable (inout ServeConfiguration, [String]) throws(ConfigurationError) -> Void
    ) -> ServeOption {
        ServeOption(
            name: name, kind: .list, about: about, isSecret: isSecret, isLive: true, example: example,
            read: { .list(read($0)) },
            write: { (configuration, value) throws(ConfigurationError) in
                guard case .list(let list) = value else { throw ConfigurationError("is not a list of texts") }
                try write(&configuration, list)
            })
    }
}
