extension ConvertCommand {
    /// An output file of a source.
    private struct Written {
        let path: String
        var isKept = true
        var bytes = 0
        /// The image without its bytes; `nil` if an existing file was kept instead.
        var result: Converted?

        /// The image, if it was written now.
        var new: Converted? { isKept ? nil : result }
    }

    /// Converts a source and writes the result. Blocks.
    ///
    /// - Parameters:
    ///   - name: the source for messages.
    ///   - stem: the output path that was reserved for the source.
    func finding(
        _ file: ImageFile, of source: LoadSource, _ name: String, _ output: ImageOutput, stem: String?
    ) throws -> Finding {
        let parts =
            pages
            ? try written(pagesOf: file, source, output, stem: stem)
            : [try written(convert(file), source, output, stem: stem)]
        let fields = parts.map(ConvertCommand.fields)
        let warnings = warnings(parts.compactMap(\.new))
        return Finding(
            fields: (pages ? [("pages", .array(fields.map { .object($0) }))] : fields.flatMap(\.self))
                + JSONValue.fields(["warnings": warnings.isEmpty ? nil : warnings]),
            lines: parts.map { line($0, name) }, warnings: warnings,
            flattened: parts.count { $0.new?.isFlattened == true })
    }

    /// Writes every page as `STEM-1`, `STEM-2` and so on. A damaged page does not stop the others.
    private func written(
        pagesOf file: ImageFile, _ source: LoadSource, _ output: ImageOutput, stem: String?
    ) throws -> [Written] {
        var parts: [Written] = []
        var failure: ImageFault?
        for page in 0..<max(1, file.properties.frameCount) {
            let stem = output.places.reserve("\(stem ?? source.outputName)-\(page + 1)")
            if let path = output.finished(source, at: stem) {
                parts.append(Written(path: path))
                continue
            }
            do {
                parts.append(try written(convert(file, page: page), source, output, stem: stem))
            } catch {
                let fault = ImageFault(error)
                failure = failure ?? ImageFault(fault.fault, "page \(page + 1): \(fault.message)")
            }
        }
        if let failure { throw failure }
        return parts
    }

    private func written(
        _ result: Converted, _ source: LoadSource, _ output: ImageOutput, stem: String?
    ) throws -> Written {
        let place = try output.put(result.data, of: source, to: stem, fileExtension: chosen.fileExtension)
        var written = Written(path: place.path, isKept: place.isKept, bytes: result.data.count, result: result)
        written.result?.data = Data()
        return written
    }

    private static func fields(_ part: Written) -> JSONValue.Fields {
        let result = part.result
        let sourceFrames = result.flatMap { $0.sourceFrames > $0.frames ? $0.sourceFrames : nil }
        return JSONValue.fields([
            "out": part.path, "width": result?.size.width, "height": result?.size.height,
            "frames": result?.frames, "bytes": result == nil ? nil : part.bytes, "sourceFrames": sourceFrames,
            "quality": result?.quality, "copied": result?.isCopied == true ? true : nil,
            "kept": part.isKept ? true : nil, "flattened": part.new?.isFlattened == true ? true : nil,
            "lost": part.new?.lost.map(\.rawValue),
        ])
    }

    private func warnings(_ written: [Converted]) -> [String] {
        var warnings: [String] = []
        // Requested losses need no warning.
        var said = metadata.unwanted.union(colors.unwanted)
        if pages || still { said.insert(.frames) }
        if let bytes = written.lazy.compactMap(\.omittedEXIF).first {
            warnings.append(
                "its \(bytes) bytes of EXIF data are left out: a JPEG file holds at most \(JPEGEncoder.longestEXIF); "
                    + "choose WebP or PNG to keep them")
            said.insert(.exif)
        }
        let lost = ConversionLoss.allCases.filter { loss in
            !said.contains(loss) && written.contains { $0.lost.contains(loss) }
        }
        return lost.isEmpty ? warnings : warnings + ["lost: " + lost.map(\.text).joined(separator: ", ")]
    }

    private func line(_ part: Written, _ name: String) -> String {
        guard let result = part.new else { return "\(name): \(part.path) was there and stays" }
        var line = "\(name) -> \(part.path): \(result.size)"
        let (frames, all) = (result.frames, result.sourceFrames)
        if !pages, all > frames {
            line += frames > 1 ? ", \(frames) of \(all) frames, the others are damaged" : ", the first of \(all) frames"
        } else if !pages, frames > 1 {
            line += ", \(frames) frames"
        }
        line += ", \(ByteText.text(part.bytes))"
        if result.isCopied { line += ", pixels copied" }
        return result.quality.map { "\(line), quality \($0)" } ?? line
    }
}
