import Firn
import FirnReport
import FoundationEssentials

/// The result of `firn convert` for one source.
struct ConvertedImage: ImageFinding {
    /// The path of the output; `nil` for the standard output.
    private let path: String?
    private let isKept: Bool
    private let result: ImageConversion.Result

    /// Converts a file and writes the result.
    ///
    /// - Parameter stem: the output path that was reserved for the source.
    init(
        _ file: ImageFile, of source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput,
        stem: String?
    ) throws(ImageFault) {
        result = try conversion.convert(file)
        do {
            let written = try output.put(
                result.data, of: source, to: stem, fileExtension: output.format?.fileExtension ?? "png")
            (path, isKept) = (written.path, written.isKept)
        } catch let error as OutputFault {
            throw ImageFault(error.fault, error.message)
        } catch {
            throw ImageFault("source", "\(error)")
        }
    }

    /// Whether transparent pixels were put on the background.
    var isFlattened: Bool { result.isFlattened && !isKept }

    var fields: [(name: String, value: JSONValue)] {
        var fields: [(name: String, value: JSONValue)] = [
            ("out", JSONValue(path)),
            ("width", .int(result.size.width)),
            ("height", .int(result.size.height)),
            ("frames", .int(result.frames)),
            ("bytes", .int(result.data.count)),
        ]
        if isKept { fields.append(("kept", true)) }
        if isFlattened { fields.append(("flattened", true)) }
        if !warnings.isEmpty { fields.append(("warnings", .array(warnings.map { .string($0) }))) }
        return fields
    }

    var warnings: [String] {
        guard let bytes = result.omittedEXIF, !isKept else { return [] }
        return [
            "its \(bytes) bytes of EXIF data are left out: a JPEG file holds at most \(JPEGEncoder.longestEXIF); "
                + "choose WebP or PNG to keep them"
        ]
    }

    func lines(_ name: String) -> [String] {
        let path = path ?? "-"
        if isKept { return ["\(name): \(path) was there and stays"] }
        var frames = result.frames > 1 ? ", \(result.frames) frames" : ""
        if result.sourceFrames > result.frames {
            frames =
                result.frames > 1
                ? ", \(result.frames) of \(result.sourceFrames) frames, the others are damaged"
                : ", the first of \(result.sourceFrames) frames"
        }
        return ["\(name) -> \(path): \(result.size)\(frames), \(ByteText.text(result.data.count))"]
    }
}
