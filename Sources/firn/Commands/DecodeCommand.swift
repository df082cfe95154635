import ArgumentParser
import Firn
import FirnReport

/// `firn decode`: pixels of single files, without pipeline and caches.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode pictures, to a file or to a hash of their pixels.",
        discussion: """
            Pixels are straight-alpha RGBA, turned as the picture's orientation says and converted to sRGB.

            EXAMPLES
              firn decode photo.jpg --out photo.png
              firn decode photo.jpg --size 256x256 --out small.webp
              firn decode --hash --json *.png
            """)

    @Option(help: ArgumentHelp("Decode this frame, counted from 0.", valueName: "n"))
    var frame = 0

    @Option(help: PixelSizeArgument.help)
    var size: PixelSizeArgument?

    @Flag(help: "Leave the picture as it is stored; do not apply its orientation.")
    var stored = false

    @Flag(name: .customLong("no-color"), help: "Leave colours as they are stored; do not apply the colour profile.")
    var noColor = false

    @Option(help: ArgumentHelp("Write the picture to this file: .png, .jpg or .webp.", valueName: "file"))
    var out: String?

    @Flag(help: "Print the SHA-256 of the pixels: 8-bit straight RGBA, rows packed, transparent pixels black.")
    var hash = false

    @Flag(help: "Print one JSON object a line and file.")
    var json = false

    @Argument(help: ArgumentHelp("Files to decode.", valueName: "file"))
    var files: [String]

    func validate() throws {
        if frame < 0 { throw ValidationError("Frames are counted from 0.") }
        guard let out else { return }
        if files.count > 1 { throw ValidationError("--out takes a single picture; \(files.count) were given.") }
        if OutputFormat(path: out) == nil {
            throw ValidationError("The name after --out has to end in .png, .jpg or .webp.")
        }
    }

    func run() throws {
        var failed = false
        let work = self
        OrderedWork.run(count: files.count, threads: Machine.cores) { index in
            work.decoded(work.files[index])
        } deliver: { picture in
            if json {
                StandardOutput.line(picture.json.text)
            } else if case .failure(let fault) = picture.outcome {
                StandardError.line("firn: \(picture.path): \(fault.message)")
            } else {
                StandardOutput.line(picture.text)
            }
            if case .failure = picture.outcome { failed = true }
        }
        if failed { throw ExitCode.someFailed }
    }

    private func decoded(_ path: String) -> DecodedPicture {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = !stored
        options.appliesColorProfile = !noColor
        options.frame = frame
        options.targetSize = size.map { TargetSize($0.size) }
        do throws(PictureFault) {
            let picture = try PictureFile(path).decode(options)
            if let out { try write(picture, to: out) }
            let digest = hash || json ? try self.digest(picture) : nil
            return DecodedPicture(path: path, outcome: .success((picture.size, digest)), written: out)
        } catch {
            return DecodedPicture(path: path, outcome: .failure(error), written: nil)
        }
    }

    private func digest(_ picture: Bitmap) throws(PictureFault) -> String {
        do {
            return try picture.straightDigest()
        } catch {
            throw PictureFault("limit", "\(error)")
        }
    }

    private func write(_ picture: Bitmap, to path: String) throws(PictureFault) {
        let format = OutputFormat(path: path) ?? .png
        do {
            try OutputFile.write(
                PictureEncoding.data(picture, as: format.format, quality: nil), to: path)
        } catch let error as FileError {
            throw PictureFault("source", "cannot write \(path): \(error.reason)")
        } catch {
            throw PictureFault("unsupported", "\(error)")
        }
    }
}
