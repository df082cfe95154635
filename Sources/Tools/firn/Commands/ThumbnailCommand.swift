import FirnSync

/// `firn thumbnail`: makes thumbnails, named and placed as `vipsthumbnail` does.
struct ThumbnailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Make thumbnails of files, folders and URLs.",
        discussion: """
            In the name after --out, %s is the source's name without its extension:
              thumb_%s.jpg      beside each source (URLs: in the current folder)
              thumbs/%s.webp    in a folder beside each source
              /tmp/t/%s.jpg     in one folder; keeps the tree of a folder source

            A name without %s is a folder, which also keeps the tree, or a file for a single source. The second of two \
            names is that file if it does not exist.

            \(WritingOptions.rules) Thumbnails of earlier runs in a folder are not sources.

            A truncated or damaged image is shown as far as possible. It is reported on standard error, and the exit \
            status is 1.

            --desktop makes the thumbnails that file managers show, as PNG files in the store that they share \
            ($XDG_CACHE_HOME/thumbnails), with --size 128, 256, 512 or 1024.

            EXAMPLES
              firn thumbnail *.jpg
              firn thumbnail photo.jpg small.png
              firn thumbnail ~/Images --size 256 -o thumbs
              firn thumbnail photo.heic -s 320x200 --crop attention -o '%s_thumb.jpg'
              firn thumbnail --desktop --size 256 ~/Images
              firn thumbnail @urls.txt -s x200 -o /srv/thumbs/%s.webp --quality 70
            """)

    @Option(name: .size, help: SizeArgument.help)
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp(
            "Cover WIDTHxHEIGHT: 'center', also without a value, keeps the middle, 'attention' the most salient part.",
            valueName: "what"))
    var crop: CropArgument?

    @Option(
        name: .out,
        help: ArgumentHelp(
            "Write to this name, with %s for the source's, to this folder, or to - (png:-). Default: tn_%s.jpg.",
            valueName: "name"),
        completion: .file())
    var out: String?

    @Flag(help: "Make the thumbnails that file managers show, in the store that they share.")
    var desktop = false

    @OptionGroup(title: "Writing")
    var writing: WritingOptions

    @Option(help: QualityArgument.help)
    var quality: QualityArgument?

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var report: ReportOptions

    @OptionGroup
    var batch: BatchOptions

    mutating func validate() throws {
        try batch.check(report)
        (out, writing.format, batch.sources) = try OutputTarget.completed(
            out, writing.format, batch.sources, takesLast: !desktop)
        if desktop, storeSize == nil {
            throw ValidationError("--desktop makes thumbnails of --size 128 (the default), 256, 512 or 1024.")
        }
        if desktop, crop != nil || writing.isGiven || quality != nil || out != nil {
            throw ValidationError("--desktop has its own format and names; leave out --crop, --out and their options.")
        }
        if crop != nil, cropped == nil { throw ValidationError("--crop needs a size with both sides: -s 320x200.") }
    }

    func run() async throws {
        let list = SourceList(batch.sources, headers: options.headers) { OutputPlaces.isProcessed($0, by: "thumbnail") }
        let target = try target(for: list)
        let output = ImageOutput(
            target: target, places: OutputPlaces(list, purpose: "thumbnail", existing: writing.existing),
            format: writing.format ?? target.format, quality: quality?.value, background: writing.background)
        let store = try storeSize.flatMap { desktop ? (try ThumbnailStore(), $0) : nil }
        try await LoadRun(
            title: "Thumbnails", sources: list, setting: try LoadEnvironment(options), options: options,
            report: report, isVerbose: batch.verbose, jobs: report.jobs ?? Machine.cores + 1,
            size: cropped == nil ? chosenSize : nil,
            processors: cropped.map { [$0] } ?? [], output: output,
            // File managers would show a partial image as if it were whole.
            allowsPartial: !desktop, desktop: store
        ).run()
    }

    private var chosenSize: SizeArgument { size ?? .sides(width: 128, height: 128) }

    /// The size of thumbnails for the desktop; `nil` for other sizes.
    private var storeSize: ThumbnailStore.Size? {
        guard case .sides(let width?, let height?) = chosenSize, width == height else { return nil }
        return ThumbnailStore.Size(rawValue: width)
    }

    /// The processor that crops to the exact rectangle.
    private var cropped: ImageProcessors.Resize? {
        guard let crop, case .sides(let width?, let height?) = chosenSize else { return nil }
        return ImageProcessors.Resize(
            size: PixelSize(width: width, height: height), mode: .fill, crop: true,
            anchor: crop == .center ? .center : .attention)
    }

    private func target(for list: SourceList) throws -> OutputTarget {
        guard let out, !out.contains("%s") else {
            return .pattern(out ?? (writing.format == nil ? "tn_%s.jpg" : "tn_%s"))
        }
        return try OutputTarget.named(out, for: list, keepsTree: true, hasFormat: writing.format != nil)
    }
}

enum CropArgument: String, ExpressibleByArgument, CaseIterable {
    case center, attention

    init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
