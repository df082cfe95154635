import FirnDigest

/// `firn decode`: decodes files without pipeline and caches.
struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode images, to a file or to a hash of their pixels.",
        discussion: """
            Pixels are straight-alpha RGBA, upright and converted to sRGB, unless --profile or --hdr say otherwise.

            A truncated or damaged image is decoded as far as possible, and the rest is transparent. It is reported on \
            standard error, and the exit status is 1.

            EXAMPLES
              firn decode photo.jpg --out photo.png
              firn decode photo.jpg --size 256x256 --out small.webp
              firn decode map.tif --region 4000,3000,1024x1024 --size 512 --out part.png
              firn decode animation.gif --frame 7 --level 2 --out frame.png
              firn decode progressive.jpg --previews folder
              firn decode --hash --json *.png
            """)

    @OptionGroup(title: "Colors")
    var colors: ColorOptions

    @Option(help: ArgumentHelp("Decode this frame, counted from 0. Default: the still image.", valueName: "n"))
    var frame: Int?

    @Option(help: ImageRegion.help("Decode only this part of the image"))
    var region: ImageRegion?

    @OptionGroup(title: "Size")
    var sizing: SizeOptions

    @Option(help: ArgumentHelp("Decode every nth pixel of every nth row: 1, 2, 4 or 8.", valueName: "n"))
    var level = 1

    @OptionGroup
    var headroom: HeadroomOptions

    @Flag(help: "Do not apply the orientation.")
    var stored = false

    @Flag(name: .customLong("no-color"), help: "Do not apply the color profile.")
    var noColor = false

    @Option(
        name: .out,
        help: ArgumentHelp(
            """
            Write the image to this file, which ends in \(OutputFormat.endings). The standard output (-), and a pipe \
            or device without an ending, get PNG.
            """,
            valueName: "file|-"),
        completion: .file())
    var out: String?

    @Option(help: ColorArgument.help)
    var background = ColorArgument.white

    @Option(
        help: ArgumentHelp(
            "Write a preview after every 16 KiB to this folder, as PNG files.", valueName: "folder"),
        completion: .directory)
    var previews: String?

    @Option(help: LimitsArgument.help)
    var limits: LimitsArgument?

    @Flag(help: "Print the SHA-256 of the pixels: 8-bit straight RGBA, rows packed, transparent pixels black.")
    var hash = false

    @OptionGroup
    var report: ReportOptions

    @Argument(
        help: ArgumentHelp("Files to decode, or - for the standard input.", valueName: "file"), completion: .file())
    var files: [String]

    mutating func validate() throws {
        if let frame, frame < 0 { throw ValidationError("Frames are counted from 0.") }
        if ![1, 2, 4, 8].contains(level) { throw ValidationError("Levels are 1, 2, 4 and 8.") }
        if level != 1, sizing.size != nil { throw ValidationError("--level and --size exclude each other.") }
        if previews != nil, files.count > 1 {
            throw ValidationError("--previews takes a single image; \(files.count) were given.")
        }
        if ["-", "png:-"].contains(out) { out = "/dev/stdout" }
        if headroom.isHigh, out == nil || stored || region != nil || previews != nil {
            throw ValidationError("--headroom needs --out, and excludes --stored, --region and --previews.")
        }
        guard let out else { return }
        try headroom.check(for: OutputFormat(path: out) ?? .png)
        if files.count > 1 { throw ValidationError("--out takes a single image; \(files.count) were given.") }
        if OutputFormat(path: out) == nil, !OutputPlace.isStream(out) {
            let reason = OutputFormat.refusal(of: out) ?? "The name after --out has to end in \(OutputFormat.endings)."
            throw ValidationError("\(out): \(reason)")
        }
    }

    func run() async throws {
        let list = SourceList(files: files)
        let isPiped = out.map { OutputPlace.isStandardOutput($0) } == true
        let reader = SourceReader(limits)
        let places = OutputPlaces(list, purpose: "decode")
        try await SourceBatch(items: list.items, form: isPiped ? .nothing : report.form, jobs: report.jobs)
            .run { [self] source, name, _ in
                try await BlockingCall.run { _ in try decoded(source, name, reader, places) }
            }
    }

    private func decoded(
        _ source: LoadSource, _ name: String, _ reader: SourceReader, _ places: OutputPlaces
    ) throws -> Finding {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = !stored
        if colors.isGiven {
            let format = out.map { OutputFormat(path: $0) ?? .png } ?? .png
            colors.apply(to: &options, try reader.file(source).properties, format.format)
        }
        if noColor { options.appliesColorProfile = false }
        options.frame = frame ?? 0
        options.prefersDefaultImage = frame == nil
        options.region = region
        options.allowsPartial = true
        // A percentage or a scale needs the image's size from its header.
        let own =
            sizing.size?.needsImageSize == true || sizing.factor != nil
            ? try shown(reader.file(source).properties(ofPage: frame ?? 0)) : nil
        options.targetSize = sizing.size?.target(for: own) ?? TargetSize(scaling: own, by: sizing.factor)
        options.subsamplingLevel = level
        let previews = try previews.map { try previewFiles(of: source, in: $0, options, places) }
        let file = try reader.file(source, previews: previews)
        let map = headroom.isHigh && options.frame == 0 ? try? file.decoder.gainMap() : nil
        if map != nil { options.pixelFormat = .rgbaHalfPremultiplied }
        var (image, damage) = try file.frame(options)
        if let map, let out { image = try headroom.rendered(image, map, for: OutputFormat(path: out) ?? .png) }
        if let out { try write(image, of: source, to: out, places) }
        let digest = hash || report.json ? try image.straightDigest() : nil
        let size = image.size
        let reason = damage.map { ImageFault.incomplete($0) }
        return Finding(
            fields: JSONValue.fields([
                "width": size.width, "height": size.height, "sha256": JSONValue(digest), "out": out, "damage": reason,
            ]),
            // In the format of `sha256sum` if there is a hash.
            lines: [digest.map { "\($0)  \(name)" } ?? "\(name): \(size)" + (out.map { " -> \($0)" } ?? "")],
            damage: reason)
    }

    /// Returns the displayed size of the image or its region.
    private func shown(_ properties: ImageProperties) -> ImageExtent {
        let whole = stored ? properties.size : properties.displaySize
        guard let area = region.flatMap({ $0.resolved(in: whole) }) else { return properties.extent }
        return properties.extent.part(stored ? properties.orientation.displaySize(of: area.size) : area.size)
    }

    /// Writes previews as `NAME-1.png`, `NAME-2.png`, …
    private func previewFiles(
        of source: LoadSource, in folder: String, _ options: DecodingOptions, _ places: OutputPlaces
    ) throws -> ImageFile.Previews {
        do throws(DataFileError) {
            try LocalFileSystem().createDirectory(folder)
        } catch {
            throw ImageFault("source", "cannot make \(folder): \(error.reason)")
        }
        let stem = source.outputName
        var number = 0
        return ImageFile.Previews(options: options) { image in
            number += 1
            let path = PathText.join(folder, "\(stem)-\(number).png")
            try write(image, of: source, to: path, places, isMade: true)
        }
    }

    /// - Parameter isMade: whether the command chose the name, not the user.
    private func write(
        _ image: Bitmap, of source: LoadSource, to path: String, _ places: OutputPlaces, isMade: Bool = false
    ) throws {
        let format = OutputFormat(path: path) ?? .png
        let data = try format.encode(background.flattened(image, for: format).image)
        _ = try places.write(data, of: source, toFile: path, isMade: isMade)
    }
}
