import ArgumentParser
import Firn
import FirnReport

/// `firn placeholder`: computes placeholders of images.
struct PlaceholderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "placeholder",
        abstract: "Print BlurHash, ThumbHash, colors and a tiny preview of images.",
        discussion: """
            A server sends one of them with the address of an image; a client shows it until the image is loaded.

            EXAMPLES
              firn placeholder photo.jpg
              firn placeholder --json *.png | jq -r .blurHash
              firn placeholder --components 5x4 wide.jpg
            """)

    @Option(help: ArgumentHelp("Waves of the BlurHash over width and height, 1 to 9 each.", valueName: "WxH"))
    var components = PixelSizeArgument(size: PixelSize(width: 4, height: 3))

    @Option(help: ArgumentHelp("Longer side of the preview, 1 to 64 pixels.", valueName: "n"))
    var preview = 16

    @Option(help: LimitsArgument.help)
    var limits: LimitsArgument?

    @OptionGroup
    var report: ReportOptions

    @OptionGroup
    var isolation: IsolationOptions

    @Argument(
        help: ArgumentHelp("Files to describe, or - for the standard input.", valueName: "file"), completion: .file())
    var files: [String]

    func validate() throws {
        if !(1...9).contains(components.size.width) || !(1...9).contains(components.size.height) {
            throw ValidationError("--components takes 1 to 9 waves each way, such as 4x3.")
        }
        if !(1...64).contains(preview) { throw ValidationError("--preview takes a number from 1 to 64.") }
    }

    func run() throws {
        let work = self
        let limits = ImageFile.limits(limits)
        let items = SourceList(files: files).items
        let isFine = ImageReports(form: report.form, jobs: report.jobs).print(items) { source, _ throws(ImageFault) in
            try PlaceholderResult(
                source.file(limits: limits), components: work.components.size, previewSide: work.preview)
        }
        if !isFine { throw ExitCode.someFailed }
    }
}
