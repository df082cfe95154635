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
        let files = files
        let isFine = PictureReports.print(files, asJSON: json) { index throws(PictureFault) in
            try PictureDescription(path: files[index])
        }
        if !isFine { throw ExitCode.someFailed }
    }
}
