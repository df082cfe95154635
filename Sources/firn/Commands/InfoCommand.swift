import ArgumentParser
import Firn
import FirnReport

/// `firn info`: what pictures' files say of themselves.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe pictures without decoding them.",
        discussion: """
            The format is told by content; a file's name is not asked.

            EXAMPLES
              firn info photo.jpg
              firn info --json *.png | jq .width
            """)

    @Flag(help: "Print one JSON object a line and file.")
    var json = false

    @Argument(help: ArgumentHelp("Files to describe.", valueName: "file"))
    var files: [String]

    func run() throws {
        var failed = false
        let json = json
        let files = files
        OrderedWork.run(count: files.count, threads: Machine.cores) { index in
            PictureDescription(path: files[index])
        } deliver: { description in
            if json {
                StandardOutput.line(description.json.text)
            } else if let fault = description.fault {
                StandardError.line("firn: \(description.path): \(fault.message)")
            } else {
                StandardOutput.line(description.text)
            }
            if description.fault != nil { failed = true }
        }
        if failed { throw ExitCode.someFailed }
    }
}
