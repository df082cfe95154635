// Makers of options by the type of what they change.
extension ServeOption {
    typealias Place<Setting> = WritableKeyPath<ServeConfiguration, Setting> & Sendable

    static func text(
        _ name: String, _ place: any Place<String>, isSecret: Bool = false, isLive: Bool = false, _ about: String
    ) -> ServeOption {
        parsed(
            name, isSecret: isSecret, isLive: isLive, about, read: { $0[keyPath: place] },
            write: { (configuration, text) throws(ConfigurationError) in configuration[keyPath: place] = text })
    }

    /// A text of which an empty one is none.
    ///
    /// - Parameter check: throws what a text must be. Default: accepts any text.
    static func optionalText(
        _ name: String, _ place: any Place<String?>, isSecret: Bool = false, isLive: Bool = false,
        example: OptionValue? = nil, _ about: String,
        check: @escaping @Sendable (String) throws(ConfigurationError) -> Void = { _ in }
    ) -> ServeOption {
        parsed(
            name, isSecret: isSecret, isLive: isLive, example: example, about, read: { $0[keyPath: place] },
            write: { (configuration, text) throws(ConfigurationError) in
                try check(text)
                configuration[keyPath: place] = text.isEmpty ? nil : text
            })
    }

    /// One of the values of a type, by its name.
    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ place: any Place<Value>, _ about: String
    ) -> ServeOption {
        parsed(
            name, about, read: { $0[keyPath: place].rawValue },
            write: { (configuration, text) throws(ConfigurationError) in
                guard let value = Value(rawValue: text) else { throw .oneOf(Value.self) }
                configuration[keyPath: place] = value
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

    /// - Parameter unit: what the number counts, such as a million pixels. Default: 1.
    static func number(
        _ name: String, _ place: any Place<Int>, of unit: Int = 1, in range: ClosedRange<Int>, isLive: Bool = true,
        _ about: String
    ) -> ServeOption {
        number(
            name, in: range, isLive: isLive, about, read: { $0[keyPath: place] / unit },
            write: { $0[keyPath: place] = $1 * unit })
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

    static func list(
        _ name: String, _ place: any Place<[String]>, isSecret: Bool = false, _ about: String
    ) -> ServeOption {
        list(
            name, isSecret: isSecret, about, read: { $0[keyPath: place] },
            write: { (configuration, list) throws(ConfigurationError) in configuration[keyPath: place] = list })
    }
}

extension ConfigurationError {
    /// The value is none of a type's.
    static func oneOf<Value: RawRepresentable<String> & CaseIterable>(_ type: Value.Type) -> ConfigurationError {
        ConfigurationError("is not one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    /// Returns a value that was read from a text.
    ///
    /// - Throws: that the text is not `what`, if there is no value.
    static func checked<Value>(
        _ value: Value?, _ text: String, _ what: String
    ) throws(ConfigurationError) -> Value {
        guard let value else { throw ConfigurationError("'\(ServeError.printable(text.utf8))' is not \(what)") }
        return value
    }
}
