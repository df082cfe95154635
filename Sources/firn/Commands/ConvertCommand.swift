import ArgumentParser
import Firn
import FirnReport

/// `firn convert`: pictures written in another format, animations with all their frames.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write pictures in another format; animations stay animations.",
        discussion: """
            Pixels are turned upright and converted to sRGB. Nothing else of a file is kept: no EXIF data, no place, unless
            --metadata exif asks for it; its orientation is then 1, and its thumbnail is left out.
            Of an animation all frames are written where the format has frames (webp, avif, jxl, gif), else the first.

            EXAMPLES
              firn convert photo.jpg --format avif --quality 60
              firn convert *.png --format webp --lossless --out small
              firn convert animation.gif --out animation.webp
              firn convert clip.webp --format gif --colors 128 --dither none
              firn convert photo.jpg --size 800x600 --out small.jpg --progressive --chroma full
              firn convert animation.gif --process 'resize=200x,gray' --out small.webp

            'firn processors' lists what --process takes; of an animation it changes every frame.
            """)

    @Option(help: "The format to write. Default: what the name after --out says.")
    var format: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "Write to this file, or into this folder. Default: beside the source.", valueName: "file|dir"))
    var out: String?

    @OptionGroup(title: "Encoding")
    var encoding: EncodingOptions

    @Option(help: PixelSizeArgument.help)
    var size: PixelSizeArgument?

    @Option(
        help: ArgumentHelp(
            "Change every picture, like 'resize=400x300:crop,blur=8'; see 'firn processors'.", valueName: "list"),
        transform: { try ProcessArgument($0) })
    var process: ProcessArgument?

    @Flag(help: "Write the first frame of an animation only.")
    var still = false

    @Flag(name: .customLong("keep-profile"), help: "Leave colours as they are stored and keep their profile.")
    var keepProfile = false

    @Option(
        help: ArgumentHelp(
            "What of a file's metadata is written: none, profile (default), or exif, which keeps EXIF data too.",
            valueName: "what"))
    var metadata = MetadataArgument.profile

    @Flag(help: "Print one JSON object a line and file.")
    var json = false

    @Argument(help: ArgumentHelp("Files to convert.", valueName: "file"))
    var files: [String]

    /// The single file to be written; `nil` where there is a folder, or none.
    private var file: String? {
        guard let out, files.count == 1, OutputFormat(path: out) != nil else { return nil }
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
        if metadata == .exif, chosen == .gif { throw ValidationError("GIF has no place for EXIF data.") }
        try encoding.check(for: chosen)
    }

    private var chosen: OutputFormat { format ?? file.flatMap { OutputFormat(path: $0) } ?? .png }

    func run() throws {
        let conversion = PictureConversion(
            encoder: encoding.encoder(for: chosen), size: size?.size, processors: process?.processors ?? [],
            isStill: still, keepsProfile: keepProfile, metadata: metadata.policy)
        let targets = try targets()
        let files = files
        let isFine = PictureReports.print(files, asJSON: json) { index throws(PictureFault) in
            try ConvertedPicture(path: files[index], target: targets[index], conversion)
        }
        if !isFine { throw ExitCode.someFailed }
    }

    /// Where each picture goes; no two to the same place.
    private func targets() throws -> [String] {
        if let file { return [file] }
        var names: [String: OutputNames] = [:]
        if let out {
            do throws(FileError) {
                try LocalFileSystem().createDirectory(out)
            } catch {
                StandardError.line("firn: \(out): cannot make the folder: \(error.reason)")
                throw ExitCode.someFailed
            }
        }
        return files.map { path in
            let (own, name) = PathText.split(path)
            let folder = out ?? own
            let stem = names[folder, default: OutputNames()].stem(for: name)
            return PathText.join(folder, "\(stem).\(chosen.fileExtension)")
        }
    }
}
