import ArgumentParser
import Firn
import FirnReport

/// `firn processors`: lists the processors of `firn load --process`.
struct ProcessorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processors",
        abstract: "List the processors of 'firn load --process'.",
        discussion: """
            Processors run in the order of the list: NAME, or NAME=VALUE:VALUE:KEY=VALUE,
            separated by commas. Values with commas, colons or equals signs are written in
            single quotes.

            EXAMPLE
              firn load photo.jpg --process 'resize=400x300:crop:attention,sharpen,rounded=12:border=2' --out small
            """)

    func run() {
        for kind in ProcessorSyntax.kinds {
            StandardOutput.line(kind.syntax)
            StandardOutput.line("    \(kind.summary)")
            StandardOutput.line("    \(kind.examples.joined(separator: "    "))")
        }
        for words in ProcessorSyntax.words {
            StandardOutput.line("\(words.name): \(words.values.joined(separator: ", "))")
        }
    }
}
