/// An option of the server, by its name in a file: `limits.seconds` is `FIRN_LIMITS_SECONDS` in the environment.
///
/// The table ``all`` is the only list of options. Files, variables, `--check`, the example and the status page are
/// generated from it.
package struct ServeOption: Sendable {
    enum Kind: String {
        case text = "a text"
        case number = "a whole number"
        case flag = "true or false"
        case list = "a list of texts"
    }

    typealias Place<Value> = WritableKeyPath<ServeConfiguration, Value> & Sendable

    let name: String
    let kind: Kind
    /// The meaning, in one line.
    private(set) var about = ""
    /// True if its value must not be shown.
    private(set) var isSecret = false
    /// True if a reload can change it. Other options need a restart.
    let isLive: Bool
    /// The value in the example instead of the default.
    private(set) var example: OptionValue?
    /// Variables of other programs that also set the option, and what their values mean for it; empty for nothing.
    private(set) var others: [(variable: String, meaning: @Sendable (String) -> String)] = []
    /// Returns the current value; `nil` if there is none.
    let read: @Sendable (ServeConfiguration) -> OptionValue?
    /// Sets a value; throws an error that describes valid values.
    let write: @Sendable (inout ServeConfiguration, OptionValue) throws -> Void
    /// Copies the value of the first configuration to the second.
    let copy: @Sendable (ServeConfiguration, inout ServeConfiguration) -> Void

    /// An option that a reload can change.
    static func live<Value>(
        _ name: String, _ place: any Place<Value>, _ coding: OptionCoding<Value>, isLive: Bool = true
    ) -> ServeOption {
        ServeOption(
            name: name, kind: coding.kind, isLive: isLive, read: { coding.encode($0[keyPath: place]) },
            write: { $0[keyPath: place] = try coding.decode($1) }, copy: { $1[keyPath: place] = $0[keyPath: place] })
    }

    /// An option that needs a restart.
    static func fixed<Value>(_ name: String, _ place: any Place<Value>, _ coding: OptionCoding<Value>) -> ServeOption {
        live(name, place, coding, isLive: false)
    }

    func about(_ text: String) -> ServeOption { with { $0.about = text } }
    func example(_ value: OptionValue) -> ServeOption { with { $0.example = value } }
    func also(_ variable: String, _ meaning: @escaping @Sendable (String) -> String = { $0 }) -> ServeOption {
        with { $0.others.append((variable, meaning)) }
    }
    func secret() -> ServeOption { with { $0.isSecret = true } }

    private func with(_ change: (inout ServeOption) -> Void) -> ServeOption {
        var option = self
        change(&option)
        return option
    }

    /// The name of its environment variable.
    var variable: String { "FIRN_" + String(name.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 }) }

    package static subscript(_ name: String) -> ServeOption? { all.first { $0.name == name } }

    /// Returns the value for display, without secrets.
    func shown(_ configuration: ServeConfiguration) -> String {
        guard let value = read(configuration), value != .text(""), value != .list([]) else { return "(none)" }
        return isSecret ? "(set)" : value.shown
    }

    /// Parses a value of this kind. Lists are separated by commas.
    ///
    /// - Returns: `nil` if the text is of another kind.
    package func value(_ text: String) -> OptionValue? {
        switch kind {
        case .text: .text(text)
        case .number: Int(text).map(OptionValue.number)
        case .flag:
            switch text.lowercased() {
            case "true", "yes", "1": .flag(true)
            case "false", "no", "0": .flag(false)
            default: nil
            }
        case .list: .list(text.split(separator: ",").map { String(Substring(FieldList.trimmed($0.utf8))) })
        }
    }

    /// Converts a value from a file to this kind. Numbers and flags convert to each other.
    ///
    /// - Returns: `nil` if it is of another kind.
    func value(_ stored: OptionValue?) -> OptionValue? {
        switch (kind, stored) {
        case (.flag, .number(let number)): .flag(number != 0)
        case (.number, .flag(let flag)): .number(flag ? 1 : 0)
        case (.text, .text), (.number, .number), (.flag, .flag), (.list, .list): stored
        default: nil
        }
    }
}

package enum OptionValue: Sendable, Equatable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])

    /// The value in one line.
    var shown: String {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .list(let list): list.joined(separator: ", ")
        }
    }
}
