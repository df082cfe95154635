import Firn
import FirnReport

/// The outcome of a source.
struct LoadOutcome: Sendable {
    /// A loaded image.
    struct Image: Sendable {
        let size: PixelSize
        let format: ImageFormat?
        /// `network`, `file`, `data`, or the name of the cache.
        let origin: String
        /// Received bytes of the source's file.
        let bytes: Int
        let duration: Duration
        /// Metrics of its transfer, if there was one.
        var metrics: TransferMetrics?
        /// The output, if it was written.
        let written: ImageOutput.Result?
        /// The image for the contact sheet.
        let cell: Bitmap?
    }

    /// The result for a source.
    enum Result: Sendable {
        case success(Image)
        /// Nothing was loaded, because this output file exists.
        case kept(String)
        case failure(Failure)
    }

    /// The reason why there is no image.
    struct Failure: Error {
        let fault: String
        let message: String
        var status: Int?
    }

    /// The source for messages: as given, without secrets.
    let name: String
    /// The source for JSON.
    let jsonName: String
    /// A short name.
    let label: String
    let result: Result

    /// Returns the outcome as a JSON object.
    var json: JSONValue {
        switch result {
        case .failure(let failure):
            var error: [(name: String, value: JSONValue)] = [
                ("fault", .string(failure.fault)), ("message", .string(failure.message)),
            ]
            if let status = failure.status { error.append(("status", .int(status))) }
            return .object([("source", .string(jsonName)), ("error", .object(error))])
        case .kept(let path):
            return .object([("source", .string(jsonName)), ("out", .string(path)), ("kept", true)])
        case .success(let image):
            var fields: [(name: String, value: JSONValue)] = [
                ("source", .string(jsonName)),
                ("format", JSONValue(image.format?.rawValue)),
                ("width", .int(image.size.width)),
                ("height", .int(image.size.height)),
                ("from", .string(image.origin)),
                ("bytes", .int(image.bytes)),
                ("ms", .double((image.duration.milliseconds * 1000).rounded() / 1000)),
                ("out", JSONValue(image.written?.path)),
            ]
            if image.written?.isKept == true { fields.append(("kept", true)) }
            if image.written?.isFlattened == true { fields.append(("flattened", true)) }
            if let metrics = image.metrics { fields.append(("transfer", TransferText.json(metrics))) }
            return .object(fields)
        }
    }

    /// Returns the outcome in one line; `nil` for a failure.
    var text: String? {
        if case .kept(let path) = result { return "\(name): \(path) was there and stays" }
        guard case .success(let image) = result else { return nil }
        let parts = [
            "\(image.size)", image.format?.rawValue ?? "?", image.bytes > 0 ? ByteText.text(image.bytes) : nil,
            DurationText.text(image.duration), "from \(image.origin)",
        ]
        let line = "\(name): \(parts.compactMap(\.self).joined(separator: ", "))"
        guard let written = image.written, let path = written.path else { return line }
        return written.isKept ? "\(line); \(path) was there and stays" : "\(line) -> \(path)"
    }

    /// Returns the transfer's metrics in one line; `nil` without a transfer.
    var transferText: String? {
        guard case .success(let image) = result else { return nil }
        return image.metrics.map { TransferText.text($0) }
    }

    /// Returns the cell of a contact sheet.
    var cell: ContactSheet.Cell {
        switch result {
        // A sheet needs the images, so it keeps no source from being loaded.
        case .kept(let path): ContactSheet.Cell(label: label, detail: path, content: .failure("no image"))
        case .failure(let failure):
            ContactSheet.Cell(label: label, detail: "not loaded", content: .failure(failure.message))
        case .success(let image):
            ContactSheet.Cell(
                label: label,
                detail: [
                    image.format?.rawValue ?? "", image.bytes > 0 ? ByteText.text(image.bytes) : "",
                    DurationText.text(image.duration),
                ].filter { !$0.isEmpty }.joined(separator: "  "),
                content: image.cell.map { .image($0) } ?? .failure("no image"))
        }
    }
}
