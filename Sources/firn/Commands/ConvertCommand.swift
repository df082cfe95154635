import ArgumentParser
import Firn
import FirnReport
import FirnSync

/// `firn convert`: writes images in another format, animations with all their frames.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write images in another format; animations stay animations.",
        discussion: """
            Pixels are turned upright and converted to sRGB. No other metadata are kept, unless --metadata exif asks for
            EXIF data; their orientation is then 1, and their thumbnail is removed.
            All frames of an animation are written if the format has frames (webp, avif, jxl, gif), otherwise the first.

            A source is a file, a folder (searched for images), a URL, @list.txt with a
            source a line, or - for the standard input. A source is never overwritten. An
            existing file stays, and the new name gets a number, unless the file was
            made from the same source before (extended attribute user.firn.source), is
            equal, or was named after --out.

            EXAMPLES
              firn convert photo.jpg --format avif --quality 60
              firn convert *.png --format webp --lossless --out small
              firn convert animation.gif --out animation.webp
              firn convert clip.webp --format gif --colors 128 --dither none
              firn convert icon.svg --scale 4 --out icon.png
              firn convert photo.jpg --size 800x600 --out small.jpg --progressive --chroma full
              firn convert animation.gif --process 'resize=200x,gray' --out small.webp

            'firn processors' lists the words of --process, which changes every frame of an animation.
            """)

    @Option(help: "The format to write. Default: that of the name after --out.")
    var format: OutputFormat?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write to this file, into this folder, or to the standard output (-). Default: beside the source.",
            valueName: "file|dir|-"))
    var out: String?

    @Flag(help: "Keep every existing file; its source then counts as done.")
    var noClobber = false

    @Option(help: ColorArgument.help)
    var background = ColorArgument.white

    @OptionGroup(title: "Encoding")
    var encoding: EncodingOptions

    @Option(help: SizeArgument.help)
    var size: SizeArgument?

    @OptionGroup(title: "Drawings")
    var drawing: DrawingOptions

    @Option(
        help: ArgumentHelp(
            "Change every image, like 'resize=400x300:crop,blur=8'; see 'firn processors'.", valueName: "list"),
        transform: { try ProcessArgument($0) })
    var process: ProcessArgument?

    @Flag(help: "Write only the first frame of an animation.")
    var still = false

    @Flag(name: .customLong("keep-profile"), help: "Leave colors as they are stored and keep their profile.")
    var keepProfile = false

    @Option(
        help: ArgumentHelp(
            "Metadata to write: none, profile (default), or exif, which also keeps EXIF data.",
            valueName: "what"))
    var metadata = MetadataArgument.profile

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @Flag(help: "Print one JSON object for each source.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @OptionGroup
    var isolation: IsolationOptions

    @Argument(help: ArgumentHelp("Files, folders, URLs, @lists, or - for the standard input.", valueName: "src"))
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
        if keepProfile, metadata == .none {
            throw ValidationError("--keep-profile and --metadata none contradict each other.")
        }
        if metadata == .exif, !chosen.storesEXIF {
            throw ValidationError("\(chosen.rawValue.uppercased()) files are written without EXIF data.")
        }
        try drawing.check(size: size)
        try encoding.check(for: chosen)
    }

    private var chosen: OutputFormat { format ?? file.flatMap { OutputFormat(path: $0) } ?? .png }

    func run() throws {
        let conversion = ImageConversion(
            encoder: encoding.encoder(for: chosen), size: size, drawingFactor: drawing.factor,
            processors: process?.processors ?? [],
            isStill: still, keepsProfile: keepProfile, metadata: metadata.policy, background: background)
        let list = SourceList(sources)
        let output = ImageOutput(
            target: try target(for: list),
            places: OutputPlaces(
                sources: list.items.compactMap(\.source?.path), purpose: "convert", keepsExisting: noClobber),
            format: chosen, background: background)
        let stems = list.items.map { item in
            item.source.flatMap { output.target.stem(for: $0) }.map { output.places.reserve($0) }
        }
        let reader = try SourceReader(list.items, options)
        let flattened = Locked(0)
        let reports = ImageReports(form: form(output.target), redaction: options.redaction)
        let isFine = reports.print(list.items) { source, index throws(ImageFault) in
            let made = try ConvertedImage(reader.file(source), of: source, conversion, output, stem: stems[index])
            if made.isFlattened { flattened.withLock { $0 += 1 } }
            return made
        }
        reader.finish()
        let count = flattened.withLock { $0 }
        if count > 0, case .lines = reports.form {
            let images = CountText.text(count, "image", "images")
            StandardOutput.line("\(images) with transparency put on \(background) (--background)")
        }
        if !isFine { throw ExitCode.someFailed }
    }

    private func form(_ target: OutputTarget) -> ImageReports.Form {
        if target.isStandardOutput { return .nothing }
        return json ? .json : quiet ? .nothing : .lines
    }

    private func target(for list: SourceList) throws -> OutputTarget {
        guard let out else { return .beside }
        let isSingle = sources.count == 1 && !list.isOpen
        if out == "-" {
            guard isSingle else { throw OutputTarget.severalToStandardOutput }
            try LoadRun.checkStandardOutput()
            return .standardOutput
        }
        let target = OutputTarget(out, isSingle: isSingle)
        if case .folder(let folder, _) = target {
            try OutputTarget.makeFolder(folder)
            return .folder(folder, keepsTree: true)
        }
        return target
    }
}
