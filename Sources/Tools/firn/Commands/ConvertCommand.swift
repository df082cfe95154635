import ArgumentParser
import Firn
import FirnReport

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write images in another format; animations stay animations.",
        discussion: """
            Pixels are turned upright and converted to sRGB. No other metadata are kept,
            unless --keep asks for EXIF data or the notice of copyright; the orientation
            of EXIF data is then 1, and their thumbnail is removed. With --strip, a JPEG,
            PNG or WebP file that keeps its format is not encoded again, unless an option
            changes its pixels: metadata are left out, and the orientation stays. All
            frames of an animation are written if the format has frames (webp, avif, jxl,
            gif), otherwise the first. --pages writes every frame, or every page of a
            TIFF, to a file of its own: NAME-1, NAME-2 and so on.

            A source is a file, a folder (searched for images), a URL, @list.txt with a
            source a line, @- for such a list on the standard input, or - for an image on
            the standard input. A source is never overwritten. An existing file stays, and
            the new name gets a number, unless the file was made from the same source
            before (extended attribute user.firn.source), is equal, or was named after
            --out. --newer and --no-clobber go on with an earlier run: they decode nothing
            whose output is there.

            EXAMPLES
              firn convert photo.jpg --format avif --quality 60
              firn convert *.png --format webp --lossless --out small
              firn convert animation.gif --out animation.webp
              firn convert clip.webp --format gif --colors 128 --dither none
              firn convert icon.svg --scale 4 --out icon.png
              firn convert photo.jpg -s 800x600 -o small.jpg --progressive --chroma full
              firn convert photo.jpg -o upload.webp --max-bytes 200k
              firn convert photo.jpg -o shared.jpg --strip gps
              firn convert scan.tiff --format png --pages -o pages
              find . -name '*.heic' -print0 | firn convert @- --format jpg --newer -o out
              firn convert animation.gif --process 'resize=200x,gray' --out small.webp

            'firn processors' lists the words of --process, which changes every frame of an animation.
            """)

    @Option(help: "The format to write. Default: that of the name after --out.")
    var format: OutputFormat?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write to this file, into this folder, or to the standard output (-). Default: beside the source.",
            valueName: "file|dir|-"),
        completion: .file())
    var out: String?

    @OptionGroup(title: "Existing files")
    var existing: ExistingFileOptions

    @Option(help: ColorArgument.help)
    var background = ColorArgument.white

    @OptionGroup(title: "Encoding")
    var encoding: EncodingOptions

    @Option(name: .shortAndLong, help: SizeArgument.help)
    var size: SizeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Turn clockwise by 90, 180 or 270 degrees, before --process. --size is that of the turned image.",
            valueName: "degrees"),
        completion: .list(["90", "180", "270"]))
    var rotate: RotateArgument?

    @OptionGroup(title: "Drawings")
    var drawing: DrawingOptions

    @Option(help: ProcessArgument.help, transform: { try ProcessArgument($0) })
    var process: ProcessArgument?

    @Flag(help: "Write only the first frame of an animation.")
    var still = false

    @Flag(help: "Write every page or frame to a file of its own: NAME-1, NAME-2 and so on.")
    var pages = false

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

    func validate() throws {
        if format == nil, file == nil {
            throw ValidationError(
                "Name a format with --format, or a file after --out that ends in \(OutputFormat.endings).")
        }
        if let format, let file, OutputFormat(path: file) != format {
            throw ValidationError("--format \(format.rawValue) and the name \(file) contradict each other.")
        }
        if pages, still { throw ValidationError("--pages and --still exclude each other.") }
        if pages, out == "-" {
            throw ValidationError("The standard output takes a single image; --pages writes several.")
        }
        try metadata.check(for: chosen)
        try drawing.check(size: size)
        try encoding.check(for: chosen)
    }

    /// The size before the image is turned.
    var turnedSize: SizeArgument? { rotate?.transposes == true ? size?.transposed : size }

    /// The processors of each image, or of each frame of an animation.
    var processors: [any ImageProcessing] {
        let turn = rotate.map { [$0.processor as any ImageProcessing] } ?? []
        return turn + (process?.processors ?? [])
    }

    var chosen: OutputFormat { format ?? file.flatMap { OutputFormat(path: $0) } ?? .png }

    func run() async throws {
        let list = SourceList(sources)
        let output = ImageOutput(
            target: try target(for: list), places: OutputPlaces(list, purpose: "convert", existing: existing.rule),
            format: chosen, background: background)
        let stems = pageStem.map { [String?](repeating: $0, count: list.items.count) } ?? output.stems(for: list)
        let reader = try SourceReader(list.items, options)
        let form = output.target.isStandardOutput ? .nothing : report.form
        var flattened = 0
        defer {
            reader.finish()
            if flattened > 0, form == .lines {
                let images = CountText.text(flattened, "image", "images")
                StandardOutput.line("\(images) with transparency put on \(background) (--background)")
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
