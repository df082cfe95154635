import FirnSystem
import FoundationEssentials

/// A word of a command line that names no command or option.
///
/// ArgumentParser reports other mistakes first and suggests no commands.
package struct UsageFault {
    /// The message, in one line: `Unknown option '--siez'. Did you mean '--size'?`
    package let message: String

    /// Finds the first unknown command or option; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - words: the arguments without the name of the program.
    ///   - replacement: returns what to type instead of an option, or of a command after the commands that it belongs
    ///     to; `nil` to suggest the nearest name. An option is suggested only where the command has it.
    package init?(
        in words: [String], of tree: CommandTree, replacement: (String) -> String? = { _ in nil }
    ) {
        var command = tree
        var path: [String] = []
        var rest = words[...]
        while let subcommands = command.subcommands, !subcommands.isEmpty, let word = rest.first, !word.hasPrefix("-") {
            // The words after `help` are commands of the same tree.
            guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
                let name =
                    replacement((path + [word]).joined(separator: " "))
                    ?? UsageFault.nearest(to: word, among: subcommands.map(\.commandName))
                message = "Unknown command '\(word)'" + UsageFault.suggestion(name)
                return
            }
            rest.removeFirst()
            if word != "help" {
                command = next
                path.append(next.commandName)
            }
        }
        guard let unknown = UsageFault.unknownOption(in: rest, of: command) else { return nil }
        let known = replacement(unknown).flatMap { words in
            command.option(words.prefix { $0 != " " }) == nil ? nil : words
        }
        message =
            "Unknown option '\(unknown)'"
            + UsageFault.suggestion(known ?? UsageFault.nearest(to: unknown, among: command.optionNames))
    }

    /// Prints a usage error and ends the program with status 2.
    ///
    /// - Parameters:
    ///   - text: the message of ArgumentParser.
    ///   - dump: its description of the program.
    ///   - replacement: see ``init(in:of:replacement:)``.
    package static func exit(
        _ text: String, _ arguments: [String], dump: String, replacement: (String) -> String? = { _ in nil }
    ) -> Never {
        let fault = CommandTree(dump: dump).flatMap { UsageFault(in: arguments, of: $0, replacement: replacement) }
        let message = escaped(fault?.replacing(text) ?? text, arguments)
        for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
            StandardError.line(String(line))
        }
        FirnSystem.exit(2)
    }

    /// Returns a message with its arguments escaped, since an argument must not start a new line.
    package static func escaped(_ message: String, _ arguments: [String]) -> String {
        arguments.reduce(message) { message, argument in
            let shown = TerminalText.escaped(argument)
            return shown == argument ? message : message.replacing(argument, with: shown)
        }
    }

    /// Replaces the part of ArgumentParser's error message before the usage.
    package func replacing(_ text: String) -> String {
        let usage = text.firstRange(of: "Usage: ").map { String(text[$0.lowerBound...]) }
        return ["Error: \(message)", usage].compactMap(\.self).joined(separator: "\n")
    }

    private static func unknownOption(in words: ArraySlice<String>, of command: CommandTree) -> String? {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" { return nil }
            guard word.hasPrefix("-"), word.count > 1 else { continue }
            let name = word.prefix { $0 != "=" }
            // Combined short flags; the last may be an option with a value.
            let isCombined = !name.hasPrefix("--") && name.dropFirst().allSatisfy { command.option("-\($0)") != nil }
            let last = isCombined ? name.last.flatMap { command.option("-\($0)") } : nil
            let option = command.option(name) ?? last
            if option == nil, !isCombined { return String(name) }
            if option?.kind == "option", !word.contains("=") { rest = rest.dropFirst() }
        }
        return nil
    }

    private static func suggestion(_ name: String?) -> String { name.map { ". Did you mean '\($0)'?" } ?? "" }

    /// Returns the nearest name; `nil` if none is near.
    private static func nearest(to word: String, among names: [String]) -> String? {
        let bare = word.drop { $0 == "-" }
        func distance(_ name: String) -> Int {
            let other = name.drop { $0 == "-" }
            let isPart = min(bare.count, other.count) >= 3 && (bare.hasPrefix(other) || other.hasPrefix(bare))
            return isPart ? 1 : UsageFault.distance(bare, other)
        }
        let near = names.filter { $0.drop { $0 == "-" }.count > 1 }.map { (name: $0, distance: distance($0)) }
            .min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= max(1, bare.count / 3) ? $0.name : nil }
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbors between two words of at most 64
    /// characters, otherwise the length of the longer one.
    ///
    /// Source: the optimal string alignment distance, a restriction of Damerau, Communications of the ACM 7, 1964.
    private static func distance(_ first: Substring, _ second: Substring) -> Int {
        let (a, b) = (Array(first), Array(second))
        guard max(a.count, b.count) <= 64 else { return max(a.count, b.count) }
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last.last ?? a.count
    }
}

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
