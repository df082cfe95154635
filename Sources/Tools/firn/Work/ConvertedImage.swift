import Firn
import FirnReport
import FoundationEssentials

/// The result of `firn convert` for one source.
struct ConvertedImage: ImageFinding {
    private struct Part: Sendable {
        /// The path; `nil` for the standard output.
        let path: String?
        let isKept: Bool
        let bytes: Int
        /// The image, without its bytes; `nil` if an existing file made the work needless.
        let result: ImageConversion.Result?
    }

    private let parts: [Part]
    private let isPaged: Bool
    /// The losses that the options ask for, which need no warning.
    private let unwanted: Set<ConversionLoss>

    /// The result for a source whose output file exists.
    init(kept path: String) {
        isPaged = false
        unwanted = []
        parts = [Part(path: path, isKept: true, bytes: 0, result: nil)]
    }

    /// Converts a source and writes the result. Blocks.
    ///
    /// - Parameter stem: the output path that was reserved for the source.
    init(
        _ file: ImageFile, of source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput, stem: String?
    ) throws {
        isPaged = conversion.frames == .each
        unwanted = conversion.unwanted
        parts =
            isPaged
            ? try ConvertedImage.pages(file, source, conversion, output, stem: stem)
            : [try ConvertedImage.written(conversion.convert(file), source, conversion, output, stem: stem)]
    }

    /// Writes every page as `STEM-1`, `STEM-2` and so on. A damaged page does not stop the others.
    private static func pages(
        _ file: ImageFile, _ source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput, stem: String?
    ) throws -> [Part] {
        var parts: [Part] = []
        var failure: ImageFault?
        for page in 0..<max(1, file.properties.frameCount) {
            let stem = output.places.reserve("\(stem ?? source.outputName)-\(page + 1)")
            if let path = output.finished(source, at: stem) {
                parts.append(Part(path: path, isKept: true, bytes: 0, result: nil))
                continue
            }
            do {
                parts.append(
                    try written(conversion.convert(file, page: page), source, conversion, output, stem: stem))
            } catch {
                let fault = ImageFault(error)
                if failure == nil { failure = ImageFault(fault.fault, "page \(page + 1): \(fault.message)") }
            }
        }
        if let failure { throw failure }
        return parts
    }

    private static func written(
        _ result: ImageConversion.Result, _ source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput,
        stem: String?
    ) throws -> Part {
        let place = try output.put(result.data, of: source, to: stem, fileExtension: conversion.format.fileExtension)
        var facts = result
        facts.data = Data()
        return Part(path: place.path, isKept: place.isKept, bytes: result.data.count, result: facts)
    }

    /// The number of images whose transparent pixels were put on the background.
    var flattened: Int { parts.filter { $0.result?.isFlattened == true && !$0.isKept }.count }

    var fields: [(name: String, value: JSONValue)] {
        var fields: [(name: String, value: JSONValue)] = []
        if isPaged {
            fields.append(("pages", .array(parts.map { .object(ConvertedImage.fields($0)) })))
        } else {
            fields = parts.flatMap { ConvertedImage.fields($0) }
        }
        if !warnings.isEmpty { fields.append(("warnings", .array(warnings.map { .string($0) }))) }
        return fields
    }

    private static func fields(_ part: Part) -> [(name: String, value: JSONValue)] {
        var fields: [(name: String, value: JSONValue)] = [("out", JSONValue(part.path))]
        if let result = part.result {
            fields += [
                ("width", .int(result.size.width)), ("height", .int(result.size.height)),
                ("frames", .int(result.frames)), ("bytes", .int(part.bytes)),
            ]
            if result.sourceFrames > result.frames { fields.append(("sourceFrames", .int(result.sourceFrames))) }
            if let quality = result.quality { fields.append(("quality", .int(quality))) }
            if result.isCopied { fields.append(("copied", true)) }
        }
        if part.isKept { fields.append(("kept", true)) }
        if part.result?.isFlattened == true, !part.isKept { fields.append(("flattened", true)) }
        if let result = part.result, !part.isKept {
            fields.append(("lost", .array(result.lost.map { .string($0.rawValue) })))
        }
        return fields
    }

    var warnings: [String] {
        var warnings: [String] = []
        let written = parts.filter { !$0.isKept }.compactMap(\.result)
        var said = unwanted
        if let bytes = written.lazy.compactMap(\.omittedEXIF).first {
            warnings.append(
                "its \(bytes) bytes of EXIF data are left out: a JPEG file holds at most \(JPEGEncoder.longestEXIF); "
                    + "choose WebP or PNG to keep them")
            said.insert(.exif)
        }
        let lost = ConversionLoss.allCases.filter { loss in
            !said.contains(loss) && written.contains { $0.lost.contains(loss) }
        }
        if !lost.isEmpty { warnings.append("lost: " + lost.map(\.text).joined(separator: ", ")) }
        return warnings
    }

    func lines(_ name: String) -> [String] {
        parts.map { part in
            let path = part.path ?? "-"
            guard let result = part.result, !part.isKept else { return "\(name): \(path) was there and stays" }
            var line = "\(name) -> \(path): \(result.size)\(isPaged ? "" : ConvertedImage.frames(result))"
            line += ", \(ByteText.text(part.bytes))"
            if result.isCopied { line += ", pixels copied" }
            return result.quality.map { "\(line), quality \($0)" } ?? line
        }
    }

    private static func frames(_ result: ImageConversion.Result) -> String {
        let (frames, all) = (result.frames, result.sourceFrames)
        if all > frames {
            return frames > 1
                ? ", \(frames) of \(all) frames, the others are damaged"
                : ", the first of \(all) frames"
        }
        return frames > 1 ? ", \(frames) frames" : ""
    }
}
