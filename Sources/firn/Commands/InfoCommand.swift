import ArgumentParser
import Firn
import FirnReport

/// `firn info`: describes image files.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe images without decoding them.",
        discussion: """
            A source is a file, a folder (searched for images), a URL, @list.txt with a
            source a line, or - for the standard input. The format is detected by content,
            not by name. Prints a table on a terminal, and a line for each
            source elsewhere and with --exif.

            EXAMPLES
              firn info photo.jpg
              firn info --exif ~/Images
              firn info --json *.png | jq .width
              curl -s https://example.org/a.png | firn info -
            """)

    @Flag(help: "Print one JSON object for each source.")
    var json = false

    @Flag(help: "Print EXIF data: model, time, exposure, place.")
    var exif = false

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var isolation: IsolationOptions

    @Argument(help: ArgumentHelp("Files, folders, URLs, @lists, or - for the standard input.", valueName: "src"))
    var sources: [String]

    func run() throws {
        let items = SourceList(sources).items
        let reader = try SourceReader(items, options)
        let showsEXIF = exif
        let isTable = !exif && Terminal(descriptor: 1).isTerminal
        let reports = ImageReports(form: json ? .json : isTable ? .table : .lines, redaction: options.redaction)
        let isFine = reports.print(items) { source, _ throws(ImageFault) in
            ImageDescription(try reader.file(source), showsEXIF: showsEXIF)
        }
        reader.finish()
        if !isFine { throw ExitCode.someFailed }
    }
}
