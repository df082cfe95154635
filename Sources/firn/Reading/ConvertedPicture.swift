import Firn
import FirnReport
import FoundationEssentials

/// What `firn convert` says of one file.
struct ConvertedPicture: Sendable {
    /// What was written.
    struct Written: Sendable {
        let size: PixelSize
        let frames: Int
        let sourceFrames: Int
        let bytes: Int
    }

    let path: String
    let target: String
    let outcome: Result<Written, PictureFault>

    init(path: String, target: String, _ conversion: PictureConversion) {
        self.path = path
        self.target = target
        do throws(PictureFault) {
            outcome = .success(try ConvertedPicture.write(path, target, conversion))
        } catch {
            outcome = .failure(error)
        }
    }

    private static func write(
        _ path: String, _ target: String, _ conversion: PictureConversion
    ) throws(PictureFault) -> Written {
        // The source is never written over: what it loses in a conversion would be lost for good.
        guard !isSame(path, target) else {
            throw PictureFault("request", "the picture would be written over itself; name a folder with --out")
        }
        let result = try conversion.convert(path)
        do throws(FileError) {
            try OutputFile.write(result.data, to: target)
        } catch {
            throw PictureFault("source", "cannot write \(target): \(error.reason)")
        }
        return Written(
            size: result.size, frames: result.frames, sourceFrames: result.sourceFrames, bytes: result.data.count)
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        let real = URL(filePath: path).resolvingSymlinksInPath().path()
        return real == URL(filePath: other).resolvingSymlinksInPath().path()
    }

    /// The fields are a contract; scripts depend on names and order.
    var json: JSONValue {
        switch outcome {
        case .failure(let fault): .object([("path", .string(path)), ("error", fault.json)])
        case .success(let written):
            .object([
                ("path", .string(path)),
                ("out", .string(target)),
                ("width", .int(written.size.width)),
                ("height", .int(written.size.height)),
                ("frames", .int(written.frames)),
                ("bytes", .int(written.bytes)),
            ])
        }
    }

    /// One line for people.
    var text: String {
        guard case .success(let written) = outcome else { return path }
        var frames = written.frames > 1 ? ", \(written.frames) frames" : ""
        if written.sourceFrames > written.frames { frames = ", the first of \(written.sourceFrames) frames" }
        return "\(path) -> \(target): \(written.size)\(frames), \(ByteText.text(written.bytes))"
    }
}
