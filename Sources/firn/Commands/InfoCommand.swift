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
            source a line, @- for such a list on the standard input, or - for an image on
            the standard input. The format is detected by content, not by name. Prints a
            table on a terminal, and a line for each source elsewhere and with --exif.

            A file whose structure shows that it is cut short is described, is reported
            on standard error, and makes the exit status 1. Pixels are not decoded:
            'firn decode --hash' finds damage in them.

            EXAMPLES
              firn info photo.jpg
              firn info --exif ~/Images
              firn info --json *.png | jq .width
              curl -s https://example.org/a.png | firn info -
            """)

    @Flag(help: "Print EXIF data: model, time, exposure, place.")
    var exif = false

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var report: ReportOptions

    @OptionGroup
    var isolation: IsolationOptions

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    func run() throws {
        let list = SourceList(sources)
        let reader = try SourceReader(list.items, options)
        let showsEXIF = exif
        let isTable = !exif && Terminal(descriptor: 1).isTerminal
        let reports = ImageReports(
            form: report.form == .lines && isTable ? .table : report.form, jobs: report.jobs,
            redaction: options.redaction)
        let isFine = reports.print(list.items) { source, _ throws(ImageFault) in
            ImageDescription(try reader.file(source), showsEXIF: showsEXIF)
        }
        reader.finish()
        if !report.quiet { list.reportLeftOut() }
        if !isFine { throw ExitCode.someFailed }
    }
}
