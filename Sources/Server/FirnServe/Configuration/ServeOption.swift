/// An option of the server, by its name in a file: `limits.seconds` is `FIRN_LIMITS_SECONDS` in the environment.
///
/// The table ``all`` is the only list of options: files, variables, `--check`, the example and the status page are made
/// of it.
package struct ServeOption: Sendable {
    package enum Kind: String, Sendable {
        case text, number, flag, list
    }

    package let name: String
    package let kind: Kind
    /// The meaning, in one line.
    package let about: String
    /// True if its value must not be shown.
    package let isSecret: Bool
    /// True if a reload changes it. Other options need a restart.
    package let isLive: Bool
    /// The value in the example instead of the default.
    package let example: OptionValue?
    /// The current value; `nil` if there is none.
    let read: @Sendable (ServeConfiguration) -> OptionValue?
    /// Changes a configuration; the error says what a value must be.
    let write: @Sendable (inout ServeConfiguration, OptionValue) throws(ConfigurationError) -> Void

    var path: [String] { name.split(separator: ".").map(String.init) }

    /// The name of its environment variable.
    package var variable: String {
        "FIRN_" + name.uppercased().map { $0 == "." || $0 == "-" ? "_" : String($0) }.joined()
    }

    /// All options, in the order in which they are shown.
    package static let all = addresses + signatures + sources + stores + responses + bounds + reports

    package static subscript(_ name: String) -> ServeOption? { all.first { $0.name == name } }

    /// Returns the value of a configuration as it may be shown.
    package func shown(_ configuration: ServeConfiguration) -> String {
        guard let value = read(configuration) else { return "(none)" }
        if isSecret { return value.isEmpty ? "(none)" : "(set)" }
        return value.shown
    }

    /// Reads a value of this kind from text.
    ///
    /// - Returns: `nil` if the text is of another kind.
    package func value(_ text: String) -> OptionValue? {
        switch kind {
        case .text: .text(text)
        case .number: Int(text).map { .number($0) }
        case .flag: Bool(text).map { .flag($0) }
        case .list: .list(text.isEmpty ? [] : text.split(separator: ",").map(String.init))
        }
    }
}

package enum OptionValue: Sendable, Equatable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])

    var isEmpty: Bool { self == .text("") || self == .list([]) }

    /// The value in one line.
    var shown: String {
        switch self {
        case .text(let text): text.isEmpty ? "(none)" : text
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .list(let list): list.isEmpty ? "(none)" : list.joined(separator: ", ")
        }
    }
}
