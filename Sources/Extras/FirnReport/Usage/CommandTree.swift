import FoundationEssentials

/// A command with its options and subcommands, as ArgumentParser describes them (`--experimental-dump-help`).
package struct CommandTree: Decodable, Sendable {
    struct Argument: Decodable, Sendable {
        /// `positional`, `option` or `flag`.
        let kind: String
        let names: [Name]?
        let shouldDisplay: Bool
    }

    /// A name of an option, without its dashes.
    struct Name: Decodable, Sendable {
        let kind: String
        let name: String

        var text: String { (kind == "long" ? "--" : "-") + name }
    }

    let commandName: String
    let aliases: [String]?
    let subcommands: [CommandTree]?
    let arguments: [Argument]?

    /// Reads a description; `nil` if it is not one.
    package init?(dump: String) {
        struct Dump: Decodable {
            let command: CommandTree
        }
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(dump.utf8)) else { return nil }
        self = dump.command
    }

    /// The names of the command.
    var names: [String] { [commandName] + (aliases ?? []) }

    /// Returns the option with a name, dashes included.
    func option(_ name: some StringProtocol) -> Argument? {
        (arguments ?? []).first { ($0.names ?? []).contains { $0.text == name } }
    }

    var optionNames: [String] {
        (arguments ?? []).filter(\.shouldDisplay).flatMap { ($0.names ?? []).map(\.text) }
    }
}
