import ArgumentParser
import Firn
import FirnReport

/// `firn processors`: what `firn load --process` takes.
struct ProcessorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processors",
        abstract: "List what can be done to images with 'firn load --process'.",
        discussion: """
            A list of processors is done in order: NAME, or NAME=VALUE:VALUE:KEY=VALUE, separated by commas. Values with
            commas, colons or equals signs stand in single quotes.

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
