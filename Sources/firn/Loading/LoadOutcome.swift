import Firn
import FirnReport

/// What became of one source.
struct LoadOutcome: Sendable {
    /// An image that was loaded.
    struct Image: Sendable {
        let size: PixelSize
        let format: ImageFormat?
        /// `network`, `file`, `data`, or the cache that answered.
        let origin: String
        /// Bytes of the source's file that arrived.
        let bytes: Int
        let duration: Duration
        /// What its transfer took, if there was one.
        var metrics: TransferMetrics?
        /// Where it was written, and how.
        let written: ImageOutput.Result?
        /// For the sheet.
        let cell: Bitmap?
    }

    /// Why there is no image.
    struct Failure: Error {
        let fault: String
        let message: String
        var status: Int?
    }

    /// The source for people: as it was given, without secrets.
    let name: String
    /// The same for scripts.
    let jsonName: String
    /// What people call it.
    let label: String
    let result: Result<Image, Failure>

    /// One object for scripts.
    var json: JSONValue {
        switch result {
        case .failure(let failure):
            var error: [(name: String, value: JSONValue)] = [
                ("fault", .string(failure.fault)), ("message", .string(failure.message)),
            ]
            if let status = failure.status { error.append(("status", .int(status))) }
            return .object([("source", .string(jsonName)), ("error", .object(error))])
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

    /// One line for people; `nil` for a failure.
    var text: String? {
        guard case .success(let image) = result else { return nil }
        let parts = [
            "\(image.size)", image.format?.rawValue ?? "?", image.bytes > 0 ? ByteText.text(image.bytes) : nil,
            DurationText.text(image.duration), "from \(image.origin)",
        ]
        let line = "\(name): \(parts.compactMap(\.self).joined(separator: ", "))"
        guard let written = image.written, let path = written.path else { return line }
        return written.isKept ? "\(line); \(path) was there and stays" : "\(line) -> \(path)"
    }

    /// What its transfer took, in one line for people; `nil` without one.
    var transferText: String? {
        guard case .success(let image) = result else { return nil }
        return image.metrics.map { TransferText.text($0) }
    }

    /// The cell of a contact sheet.
    var cell: ContactSheet.Cell {
        switch result {
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
