import Firn
import FirnReport
import FoundationEssentials

/// What `firn convert` made of one file.
struct ConvertedPicture: PictureFinding {
    private let target: String
    private let result: PictureConversion.Result

    /// Converts a file and writes the result to `target`.
    init(path: String, target: String, _ conversion: PictureConversion) throws(PictureFault) {
        // The source is never written over: what it loses in a conversion would be lost for good.
        guard !ConvertedPicture.isSame(path, target) else {
            throw PictureFault("request", "the picture would be written over itself; name a folder with --out")
        }
        self.target = target
        result = try conversion.convert(path)
        do throws(FileError) {
            try OutputFile.write(result.data, to: target)
        } catch {
            throw PictureFault("source", "cannot write \(target): \(error.reason)")
        }
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        let real = URL(filePath: path).resolvingSymlinksInPath().path()
        return real == URL(filePath: other).resolvingSymlinksInPath().path()
    }

    var fields: [(name: String, value: JSONValue)] {
        [
            ("out", .string(target)),
            ("width", .int(result.size.width)),
            ("height", .int(result.size.height)),
            ("frames", .int(result.frames)),
            ("bytes", .int(result.data.count)),
        ]
    }

    func text(_ path: String) -> String {
        var frames = result.frames > 1 ? ", \(result.frames) frames" : ""
        if result.sourceFrames > result.frames { frames = ", the first of \(result.sourceFrames) frames" }
        return "\(path) -> \(target): \(result.size)\(frames), \(ByteText.text(result.data.count))"
    }
}
