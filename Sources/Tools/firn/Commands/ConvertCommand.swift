struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert images to other formats and sizes.",
        discussion: """
            The second of two names is the new image if no image has that name. Several images need --format, and are \
            written beside their sources or into the folder after --out.

            Pixels are turned upright and converted to sRGB, unless --profile or --hdr say otherwise. Other metadata \
            is dropped, unless --keep asks for all, for all but the place, or for the copyright notice; the \
            orientation in EXIF data is then 1, and its thumbnail is removed. With --keep, a file that keeps its \
            format is not encoded again, unless an option changes its pixels.

            All frames of an animation are written if the format has frames (webp, avif, jxl, gif), otherwise the \
            first. --pages writes every frame, or every page of a TIFF, to its own file: NAME-1, NAME-2 and so on.

            \(SourceOptions.kinds) \(WritingOptions.rules)

            EXAMPLES
              firn convert photo.png photo.webp
              firn convert photo.jpg -q 60 photo.avif
              firn convert *.png --format webp --lossless --out small
              firn convert icon.svg --scale 4 --out icon.png
              firn convert photo.jpg -o upload.webp --max-bytes 200k
              firn convert photo.jpg -o shared.jpg --keep all-but-place
              firn convert photo.heic -o wide.jpg --profile p3
              firn convert hdr.png -o hdr.avif --hdr keep
              firn convert scan.tiff --format png --pages -o pages
              find . -name '*.heic' -print0 | firn convert @- --format jpg --newer -o out
              firn convert animation.gif --process 'resize=200x,gray' --out small.webp

            'firn processors' lists the words of --process, which changes every frame of an animation.
            """)

    @Option(
        name: .out,
        help: ArgumentHelp(
            "Write to this file, into this folder, or to the standard output (png:-). Default: beside the source.",
            valueName: "file|dir|-"),
        completion: .file())
    var out: String?

    @OptionGroup(title: "Writing")
    var writing: WritingOptions

    @OptionGroup(title: "Encoding")
    var encoding: EncodingOptions

    @OptionGroup(title: "Size")
    var sizing: SizeOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Turn clockwise by 90, 180 or 270 degrees, before --process. --size is that of the turned image.",
            valueName: "degrees"),
        completion: .list(["90", "180", "270"]))
    var rotate: RotateArgument?

    @Option(help: ProcessorSyntax.help, transform: { try ProcessorSyntax().processors($0) })
    var process: [any ImageProcessing]?

    @OptionGroup
    var headroom: HeadroomOptions

    @Flag(help: "Write only the first frame of an animation.")
    var still = false

    @Flag(help: "Write every page or frame to its own file: NAME-1, NAME-2 and so on.")
    var pages = false

    @OptionGroup(title: "Colors")
    var colors: ColorOptions

    @OptionGroup(title: "Metadata")
    var metadata: MetadataOptions

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var report: ReportOptions

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    /// The single output file; `nil` if there is a folder or no `--out`.
    private var file: String? {
        guard let out, sources.count == 1, OutputFormat(path: out) != nil else { return nil }
        return out
    }

    mutating func validate() throws {
        // Without a format, two sources are an error.
        (out, writing.format, sources) = try OutputTarget.completed(
            out, writing.format, sources, replaces: writing.format == nil)
        if writing.format == nil, file == nil {
            let second = out == nil && sources.count == 2 ? sources[1] : ""
            if OutputFormat(path: second) != nil, FileKind(second) != .missing {
                throw ValidationError("\(second) exists, so it is a second source; to replace it, name it after --out.")
            }
            throw ValidationError("Name one new file that ends in \(OutputFormat.endings), or a format with --format.")
        }
        if pages, still { throw ValidationError("--pages and --still exclude each other.") }
        if pages, out == "-" { throw ValidationError("The standard output takes one image; --pages writes several.") }
        if metadata.policy == .none, colors.profile ?? .srgb != .srgb || colors.hdr == .keep {
            throw ValidationError("--keep none writes no color profile, which --profile and --hdr keep need.")
        }
        try metadata.check(for: chosen)
        try colors.check(for: chosen)
        try encoding.check(for: chosen)
        try headroom.check(for: chosen)
    }

    /// The size before the image is turned.
    var turnedSize: SizeArgument? { rotate?.transposes == true ? sizing.size?.transposed : sizing.size }

    /// The processors of each image, or of each frame of an animation.
    var processors: [any ImageProcessing] {
        (rotate.map { [$0.processor] } ?? []) + (process ?? [])
    }

    var chosen: OutputFormat { writing.format ?? file.flatMap { OutputFormat(path: $0) } ?? .png }

    func run() async throws {
        let list = SourceList(sources, headers: options.headers)
        let output = ImageOutput(
            target: try target(for: list),
            places: OutputPlaces(list, purpose: "convert", existing: writing.existing), format: chosen,
            background: writing.background)
        let stems = pageStem.map { [String?](repeating: $0, count: list.items.count) } ?? output.stems(for: list)
        let reader = try SourceReader(list.items, options)
        let form = output.target.isStandardOutput ? .nothing : report.form
        var flattened = 0
        defer {
            reader.finish()
            if flattened > 0, form == .lines {
                let images = CountText.text(flattened, "image", "images")
                StandardOutput.line("\(images) with transparency put on \(writing.background) (--background)")
            }
            if !output.target.isStandardOutput, !report.quiet { list.reportLeftOut() }
        }
        try await SourceBatch(
            items: list.items, form: form, jobs: report.jobs, redaction: options.redaction
        ).run { [self] source, name, index in
            let stem = stems[index]
            if !pages, let path = output.finished(source, at: stem) { return .kept(path, name) }
            return try await reader.read(source) {
                try finding($0, of: source, name, output, stem: stem)
            }
        } printed: {
            flattened += (try? $0.result.get().flattened) ?? 0
        }
    }

    /// The path of a single output file without extension, from which the names of pages are made.
    private var pageStem: String? {
        guard pages, let file else { return nil }
        let (folder, name) = PathText.split(file)
        return folder + PathText.stem(name)
    }

    private func target(for list: SourceList) throws -> OutputTarget {
        let target = try out.map { try OutputTarget.named($0, for: list, keepsTree: true) }
        // Pages are named after the file.
        if pages, case .file = target { return .pattern("%s") }
        return target ?? .pattern("%s")
    }
}
