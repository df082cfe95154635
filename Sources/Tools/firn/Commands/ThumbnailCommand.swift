import ArgumentParser
import Firn
import FirnReport
import FirnSync

/// `firn thumbnail`: makes thumbnails, named and placed as `vipsthumbnail` does.
struct ThumbnailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Make thumbnails of files, folders and URLs.",
        discussion: """
            Works on all cores. In the name after --out, %s is the source's name
            without extension:
              thumb_%s.jpg      beside each source (URLs: in the current folder)
              thumbs/%s.webp    in a folder beside each source
              /tmp/t/%s.jpg     in one folder; keeps the tree of a folder source
            Without %s it is a folder, which keeps the tree, too; a file for a single
            source; or - for the standard output.

            A source is never overwritten. An existing file stays, and the new name
            gets a number, unless the file is an earlier thumbnail of the same source
            (extended attribute user.firn.source). Folders are searched for images, but
            not for such thumbnails. --newer and --no-clobber go on with an earlier run:
            they load nothing whose thumbnail is there.

            An image that is cut short or damaged is shown as far as it goes, is reported
            on standard error, and makes the exit status 1.

            --desktop makes the thumbnails that file managers show, as PNG in the store
            that they share ($XDG_CACHE_HOME/thumbnails); --size 128, 256, 512 or 1024.

            EXAMPLES
              firn thumbnail *.jpg
              firn thumbnail ~/Images --size 256 -o thumbs
              firn thumbnail photo.heic -s 320x200 --crop attention -o '%s_thumb.jpg'
              firn thumbnail --desktop --size 256 ~/Images
              firn thumbnail @urls.txt -s x200 -o /srv/thumbs/%s.webp --quality 70
            """)

    @Option(name: .shortAndLong, help: SizeArgument.help)
    var size = SizeArgument.sides(width: 128, height: 128)

    @Option(
        help: ArgumentHelp(
            "Cover WIDTHxHEIGHT and cut off the rest: 'center' keeps the middle, 'attention' the most salient part.",
            valueName: "what"))
    var crop: CropArgument?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Name of the thumbnails, with %s for the source's; a folder; or -.", valueName: "name"),
        completion: .file())
    var out = "tn_%s.jpg"

    @Flag(help: "Make the thumbnails that file managers show, in the store that they share.")
    var desktop = false

    @OptionGroup(title: "Writing")
    var writing: WritingOptions

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var batch: BatchOptions

    func validate() throws {
        if desktop, storeSize == nil {
            throw ValidationError("--desktop makes thumbnails of --size 128 (the default), 256, 512 or 1024.")
        }
        if desktop, crop != nil || writing.isGiven || out != "tn_%s.jpg" {
            throw ValidationError("--desktop has its own format and names; leave out --crop, --out and their options.")
        }
        if crop != nil, cropped == nil {
            throw ValidationError("--crop needs a size with both sides, such as 320x200.")
        }
        if let format = writing.format, out != "tn_%s.jpg", OutputFormat(path: out).map({ $0 != format }) == true {
            throw ValidationError("--format \(format.rawValue) and the name \(out) contradict each other.")
        }
    }

    func run() async throws {
        let list = SourceList(batch.sources) { OutputPlaces.isProcessed($0, by: "thumbnail") }
        let target = try target(for: list)
        let output = ImageOutput(
            target: target, places: OutputPlaces(list, purpose: "thumbnail", existing: writing.existing.rule),
            format: writing.format ?? target.format, quality: writing.quality?.value, background: writing.background)
        let store = try storeSize.flatMap { desktop ? (try ThumbnailStore(), $0) : nil }
        try await LoadRun(
            title: "Thumbnails", sources: list, setting: try LoadEnvironment(options), options: options, batch: batch,
            jobs: batch.report.jobs ?? Machine.cores + 1, size: cropped == nil ? size : nil,
            processors: cropped.map { [$0] } ?? [], output: output,
            // File managers would show a partial image as if it were whole.
            allowsPartial: !desktop, desktop: store
        ).run()
    }

    /// The size of thumbnails for the desktop; `nil` for other sizes.
    private var storeSize: ThumbnailStore.Size? {
        guard case .sides(let width?, let height?) = size, width == height else { return nil }
        return ThumbnailStore.Size(rawValue: width)
    }

    /// The processor that crops to the exact rectangle.
    private var cropped: ImageProcessors.Resize? {
        guard let crop, case .sides(let width?, let height?) = size else { return nil }
        return ImageProcessors.Resize(
            size: PixelSize(width: width, height: height), mode: .fill, crop: true,
            anchor: crop == .center ? .center : .attention)
    }

    private func target(for list: SourceList) throws -> OutputTarget {
        if out.contains("%s") {
            // An explicit format replaces that of the default name.
            return .pattern(writing.format != nil && out == "tn_%s.jpg" ? "tn_%s" : out)
        }
        return try OutputTarget.named(out, for: list, keepsTree: true, hasFormat: writing.format != nil)
    }
}

enum CropArgument: String, ExpressibleByArgument, CaseIterable {
    case center
    case attention

    init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
