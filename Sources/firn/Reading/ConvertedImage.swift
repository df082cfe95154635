import Firn
import FirnReport
import FoundationEssentials

/// The result of `firn convert` for one source.
struct ConvertedImage: ImageFinding {
    /// One output file.
    private struct Part: Sendable {
        /// The path; `nil` for the standard output.
        let path: String?
        let isKept: Bool
        /// The image; `nil` if an existing file made the work needless.
        let result: ImageConversion.Result?
    }

    private let parts: [Part]
    private let isPaged: Bool

    /// Converts a source and writes the result.
    ///
    /// - Parameters:
    ///   - stem: the output path that was reserved for the source.
    ///   - open: reads the file. Not called if an existing file makes that needless.
    init(
        _ source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput, stem: String?,
        open: () throws(ImageFault) -> ImageFile
    ) throws(ImageFault) {
        isPaged = conversion.frames == .each
        if isPaged {
            parts = try ConvertedImage.pages(open(), source, conversion, output, stem: stem)
        } else if let path = output.finished(source, at: stem) {
            parts = [Part(path: path, isKept: true, result: nil)]
        } else {
            parts = [
                try ConvertedImage.written(conversion.convert(open()), source, conversion, output, stem: stem)
            ]
        }
    }

    /// Writes every page as `STEM-1`, `STEM-2` and so on. A damaged page does not stop the others.
    private static func pages(
        _ file: ImageFile, _ source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput, stem: String?
    ) throws(ImageFault) -> [Part] {
        var parts: [Part] = []
        var failure: ImageFault?
        for page in 0..<max(1, file.properties.frameCount) {
            let stem = output.places.reserve("\(stem ?? OutputNames.stem(for: source))-\(page + 1)")
            if let path = output.finished(source, at: stem) {
                parts.append(Part(path: path, isKept: true, result: nil))
                continue
            }
            do throws(ImageFault) {
                let result = try conversion.convert(file, page: page)
                parts.append(try written(result, source, conversion, output, stem: stem))
            } catch {
                if failure == nil { failure = ImageFault(error.fault, "page \(page + 1): \(error.message)") }
            }
        }
        if let failure { throw failure }
        return parts
    }

    private static func written(
        _ result: ImageConversion.Result, _ source: LoadSource, _ conversion: ImageConversion, _ output: ImageOutput,
        stem: String?
    ) throws(ImageFault) -> Part {
        do {
            let written = try output.put(
                result.data, of: source, to: stem, fileExtension: conversion.format.fileExtension)
            return Part(path: written.path, isKept: written.isKept, result: result)
        } catch let error as OutputFault {
            throw ImageFault(error.fault, error.message)
        } catch {
            throw ImageFault("source", "\(error)")
        }
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
                ("frames", .int(result.frames)), ("bytes", .int(result.data.count)),
            ]
            if result.sourceFrames > result.frames { fields.append(("sourceFrames", .int(result.sourceFrames))) }
            if let quality = result.quality { fields.append(("quality", .int(quality))) }
            if result.isCopied { fields.append(("copied", true)) }
        }
        if part.isKept { fields.append(("kept", true)) }
        if part.result?.isFlattened == true, !part.isKept { fields.append(("flattened", true)) }
        return fields
    }

    var warnings: [String] {
        guard let bytes = parts.first(where: { !$0.isKept })?.result?.omittedEXIF else { return [] }
        return [
            "its \(bytes) bytes of EXIF data are left out: a JPEG file holds at most \(JPEGEncoder.longestEXIF); "
                + "choose WebP or PNG to keep them"
        ]
    }

    func lines(_ name: String) -> [String] {
        parts.map { part in
            let path = part.path ?? "-"
            guard let result = part.result, !part.isKept else { return "\(name): \(path) was there and stays" }
            var line = "\(name) -> \(path): \(result.size)\(isPaged ? "" : ConvertedImage.frames(result))"
            line += ", \(ByteText.text(result.data.count))"
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
