struct ProcessorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processors",
        abstract: "List the processors of 'firn load --process'.",
        discussion: """
            Processors run in the order of the list: NAME, or NAME=VALUE:VALUE:KEY=VALUE, separated by commas. Values \
            with commas, colons or equals signs are written in single quotes.

            EXAMPLE
              firn load a.jpg --process 'resize=400x300:crop:attention,sharpen' -o b.png
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() {
        if json {
            StandardOutput.line(ProcessorsCommand.object.text)
            return
        }
        for kind in ProcessorSyntax.kinds {
            StandardOutput.line(kind.syntax)
            StandardOutput.line("    \(kind.summary)")
            StandardOutput.line("    \(kind.examples.joined(separator: "    "))")
        }
        for words in ProcessorSyntax.words {
            StandardOutput.line("\(words.name): \(words.values.joined(separator: ", "))")
        }
    }

    private static var object: JSONValue {
        let processors = ProcessorSyntax.kinds.map {
            ["syntax": $0.syntax, "summary": $0.summary, "examples": $0.examples] as JSONValue
        }
        let words = ProcessorSyntax.words.map { (name: $0.name, value: $0.values.json) }
        return ["processors": processors, "words": JSONValue.object(words)]
    }
}
