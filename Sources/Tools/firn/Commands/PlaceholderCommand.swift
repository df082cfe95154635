import FoundationEssentials

struct PlaceholderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "placeholder",
        abstract: "Print BlurHash, ThumbHash, colors and a tiny preview.",
        discussion: """
            A server sends one of them with the URL of an image, and a client shows it until the image is loaded.

            EXAMPLES
              firn placeholder photo.jpg
              firn placeholder --json *.png | jq -r .blurHash
              firn placeholder --components 5x4 wide.jpg
            """)

    @Option(help: ArgumentHelp("Waves of the BlurHash over width and height, 1 to 9 each.", valueName: "WxH"))
    var components = PixelSize(width: 4, height: 3)

    @Option(help: ArgumentHelp("Longer side of the preview, 1 to 64 pixels.", valueName: "n"))
    var preview = 16

    @Option(help: LimitsArgument.help)
    var limits: LimitsArgument?

    @OptionGroup
    var report: ReportOptions

    @Argument(
        help: ArgumentHelp("Files to describe, or - for the standard input.", valueName: "file"), completion: .file())
    var files: [String]

    func validate() throws {
        if !(1...9).contains(components.width) || !(1...9).contains(components.height) {
            throw ValidationError("--components takes 1 to 9 waves each way, such as 4x3.")
        }
        if !(1...64).contains(preview) { throw ValidationError("--preview takes a number from 1 to 64.") }
    }

    func run() async throws {
        let reader = SourceReader(limits)
        try await SourceBatch(items: SourceList(files: files).items, form: report.form, jobs: report.jobs)
            .run { [self] source, name, _ in try await reader.read(source) { try placeholders(of: $0, name) } }
    }

    private func placeholders(of file: ImageFile, _ name: String) throws -> Finding {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.prefersDefaultImage = true
        // The hashes use at most this many pixels.
        options.targetSize = TargetSize(100)
        let image = try file.decode(options)
        guard let blur = BlurHash(image, columns: components.width, rows: components.height),
            let thumb = ThumbHash(image)
        else { throw ImageFault("limit", "there is no memory") }
        let side = TargetSize(preview).resolved(for: image.size)
        let small = side == image.size ? image : try image.resized(to: side)
        let texts = [
            ("blurHash", "blurhash   ", blur.text), ("thumbHash", "thumbhash  ", thumb.data.base64EncodedString()),
            ("averageColor", "average    ", image.averageColor()?.description ?? "#00000000"),
            ("dominantColor", "dominant   ", image.dominantColor()?.description ?? "#00000000"),
            ("preview", "preview    ", try WebPEncoder(quality: 0.7).dataURL(of: small)),
        ]
        let size = file.properties.displaySize
        return Finding(
            fields: [("width", .int(size.width)), ("height", .int(size.height))]
                + texts.map { (name: $0.0, value: JSONValue.string($0.2)) },
            lines: ["\(name): \(size)"] + texts.map { "  \($0.1)\($0.2)" })
    }
}
