/// Converts a configuration value to its form in files and back.
struct OptionCoding<Value>: Sendable {
    let kind: ServeOption.Kind
    /// Returns the form in files; `nil` if there is no value.
    let encode: @Sendable (Value) -> OptionValue?
    /// Throws an error that describes valid values.
    let decode: @Sendable (OptionValue) throws -> Value

    /// A string, converted by `parse`.
    static func text(
        _ shown: @escaping @Sendable (Value) -> String?, _ parse: @escaping @Sendable (String) throws -> Value
    ) -> Self {
        Self(kind: .text, encode: { shown($0).map(OptionValue.text) }) { value in
            guard case .text(let text) = value else { throw ConfigurationError("is not a text") }
            return try parse(text)
        }
    }

    static func number(
        _ range: ClosedRange<Int>, _ shown: @escaping @Sendable (Value) -> Int,
        _ make: @escaping @Sendable (Int) -> Value
    ) -> Self {
        Self(kind: .number, encode: { .number(shown($0)) }) { value in
            guard case .number(let number) = value, range.contains(number) else {
                throw ConfigurationError("is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return make(number)
        }
    }

    static func list(
        _ shown: @escaping @Sendable (Value) -> [String], _ parse: @escaping @Sendable ([String]) throws -> Value
    ) -> Self {
        Self(kind: .list, encode: { .list(shown($0)) }) { value in
            guard case .list(let list) = value else { throw ConfigurationError("is not a list of texts") }
            return try parse(list)
        }
    }

    /// A list of strings, each converted by `parse`.
    ///
    /// - Parameter what: what a valid text is, for the error.
    static func list<Element>(
        _ what: String, _ parse: @escaping @Sendable (String) -> Element?
    ) -> Self where Value == [Element] {
        .list({ $0.map { "\($0)" } }) { list in
            try list.map { try ConfigurationError.checked(parse($0), $0, what) }
        }
    }
}

extension OptionCoding<String> {
    static var text: Self { .text({ $0 }, { $0 }) }
}

extension OptionCoding<String?> {
    static var optional: Self { .optional("") { _ in true } }

    /// An optional string; empty means `nil`.
    ///
    /// - Parameter what: what a valid text is, for the error.
    static func optional(_ what: String, _ isValid: @escaping @Sendable (String) -> Bool) -> Self {
        .text({ $0 }) { text in
            guard text.isEmpty || isValid(text) else { throw ConfigurationError("is not \(what)") }
            return text.isEmpty ? nil : text
        }
    }
}

extension OptionCoding where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// One of the cases of a type, by name.
    static var choice: Self {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return .text(\.rawValue) { text in
            guard let value = Value(rawValue: text) else { throw ConfigurationError("is not one of \(names)") }
            return value
        }
    }
}

extension OptionCoding<Int> {
    /// - Parameter unit: the unit of the number, such as a million pixels. Default: 1.
    static func number(_ range: ClosedRange<Int>, of unit: Int = 1) -> Self {
        .number(range, { $0 / unit }, { $0 * unit })
    }
}

extension OptionCoding<Duration> {
    static func seconds(_ range: ClosedRange<Int>) -> Self {
        .number(range, { Int(clamping: $0.components.seconds) }, { .seconds($0) })
    }
}

extension OptionCoding<Bool> {
    static var flag: Self {
        Self(kind: .flag, encode: { .flag($0) }) { value in
            guard case .flag(let flag) = value else { throw ConfigurationError("is not true or false") }
            return flag
        }
    }
}

extension OptionCoding<Set<ImgproxyFormat>> {
    static func formats(_ known: [ImgproxyFormat]) -> Self {
        .list({ $0.sorted().map(\.rawValue) }) { Set(try $0.map { try ImgproxyFormat(named: $0, of: known) }) }
    }
}

extension OptionCoding<[ImgproxyFormat: Int]> {
    /// Qualities of formats, which replace their defaults.
    static var qualities: Self {
        .list({ $0.sorted { $0.key < $1.key }.map { "\($0.key.rawValue)=\($0.value)" } }) { list in
            var qualities = ImgproxySettings().formatQuality
            for text in list {
                let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                let number = parts.count == 2 ? Int(parts[1]).flatMap { (1...100).contains($0) ? $0 : nil } : nil
                let quality = try ConfigurationError.checked(number, text, "FORMAT=QUALITY")
                qualities[try ImgproxyFormat(named: parts[0], of: [.jpeg, .webp, .avif, .jxl])] = quality
            }
            return qualities
        }
    }
}

extension OptionCoding<HTTPHeaderFields> {
    /// Fields as `NAME=VALUE` with a percent-encoded value. The error does not show them, since they may be secrets.
    static var headers: Self {
        .list({ $0.map(\.name) }) { list in
            HTTPHeaderFields(
                try list.map { text in
                    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                        throw ConfigurationError("is not a list of NAME=VALUE")
                    }
                    let value = PercentEncoding.decoded(text[text.index(after: equals)...].utf8)
                    return (String(text[..<equals]), String(decoding: value, as: UTF8.self))
                })
        }
    }
}

extension OptionCoding<[FieldRule]> {
    static func fields(isForSources: Bool) -> Self {
        .list({ $0.map(\.description) }) { try $0.map { try FieldRule($0, isForSources: isForSources) } }
    }
}

extension OptionCoding<[String: String]> {
    /// Options by preset name.
    static var presets: Self {
        .list({ $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }) { list in
            let pairs = try list.map { text in
                let equals = text.firstIndex(of: "=").flatMap { $0 > text.startIndex ? $0 : nil }
                let end = try ConfigurationError.checked(equals, text, "NAME=OPTIONS")
                return (String(text[..<end]), String(text[text.index(after: end)...]))
            }
            return Dictionary(pairs) { $1 }
        }
    }
}

extension ImgproxyFormat {
    /// - Throws: an error if the format is not one of `known`.
    init(named name: String, of known: [ImgproxyFormat]) throws(ConfigurationError) {
        let format = ImgproxyFormat(name: name).flatMap { known.contains($0) ? $0 : nil }
        self = try ConfigurationError.checked(format, name, "one of \(known.map(\.rawValue).joined(separator: ", "))")
    }
}

extension ConfigurationError {
    /// Returns a parsed value.
    ///
    /// - Throws: an error that the text is not `what`, if the value is `nil`.
    static func checked<Value>(_ value: Value?, _ text: String, _ what: String) throws(ConfigurationError) -> Value {
        guard let value else { throw ConfigurationError("'\(ServeError.printable(text.utf8))' is not \(what)") }
        return value
    }
}
