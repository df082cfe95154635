import Firn
import FirnReport

/// The result of `firn load` and `firn thumbnail` for one source.
enum LoadedImage: ImageFinding {
    /// Nothing was loaded, because this output file exists.
    case kept(String)
    case loaded(Facts)

    struct Facts: Sendable {
        let size: PixelSize
        let format: ImageFormat?
        /// `network`, `file`, `data`, or the name of the cache.
        let origin: String
        /// Received bytes of the source's file.
        let bytes: Int
        let duration: Duration
        let metrics: TransferMetrics?
        /// The reason why pixels are missing; `nil` if none are.
        let damage: String?
        let written: OutputPlaces.Place?
        /// The image for the contact sheet.
        let cell: Bitmap?
    }

    static let sourceField = "source"

    var fields: [(name: String, value: JSONValue)] {
        switch self {
        case .kept(let path): return [("out", .string(path)), ("kept", true)]
        case .loaded(let image):
            var fields: [(name: String, value: JSONValue)] = [
                ("format", JSONValue(image.format?.rawValue)), ("width", .int(image.size.width)),
                ("height", .int(image.size.height)), ("from", .string(image.origin)), ("bytes", .int(image.bytes)),
                ("ms", JSONValue(milliseconds: image.duration)), ("out", JSONValue(image.written?.path)),
            ]
            if image.written?.isKept == true { fields.append(("kept", true)) }
            if image.written?.isFlattened == true { fields.append(("flattened", true)) }
            if let damage = image.damage { fields.append(("damage", .string(damage))) }
            if let metrics = image.metrics { fields.append(("transfer", metrics.json)) }
            return fields
        }
    }

    var damage: String? { if case .loaded(let image) = self { image.damage } else { nil } }

    func lines(_ name: String) -> [String] {
        switch self {
        case .kept(let path): return ["\(name): \(path) was there and stays"]
        case .loaded(let image):
            let parts = [
                "\(image.size)", image.format?.rawValue ?? "?", image.bytes > 0 ? ByteText.text(image.bytes) : nil,
                DurationText.text(image.duration), "from \(image.origin)",
            ]
            let line = "\(name): \(parts.compactMap(\.self).joined(separator: ", "))"
            guard let written = image.written, let path = written.path else { return [line] }
            return [written.isKept ? "\(line); \(path) was there and stays" : "\(line) -> \(path)"]
        }
    }

    /// The transfer's metrics in one line; `nil` without a transfer.
    var transferText: String? { if case .loaded(let image) = self { image.metrics?.text } else { nil } }
}

extension SourceBatch.Outcome<LoadedImage> {
    var cell: ContactSheet.Cell {
        switch result {
        // A sheet needs the images, so it keeps no source from being loaded.
        case .success(.kept(let path)): ContactSheet.Cell(label: label, detail: path, content: .failure("no image"))
        case .failure(let fault):
            ContactSheet.Cell(label: label, detail: "not loaded", content: .failure(fault.message))
        case .success(.loaded(let image)):
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

extension TransferMetrics {
    fileprivate var text: String {
        var parts: [String] = [networkProtocol ?? "transfer"]
        func add(_ name: String, _ time: Duration?) {
            if let time { parts.append("\(name) \(DurationText.text(time))") }
        }
        add("look-up", lookup)
        if isConnectionReused { parts.append("connection used again") }
        add("connection", connect)
        add("TLS", secure)
        add("first byte after", firstByte)
        add("in all", total)
        parts.append("\(ByteText.text(bytesReceived)) received")
        if bytesReceived != bytesDelivered {
            parts.append("\(ByteText.text(bytesDelivered)) unpacked")
        }
        if redirects > 0 { parts.append("\(redirects) redirects") }
        if attempts > 1 { parts.append("\(attempts) attempts") }
        if let address = remoteAddress { parts.append("from \(address)") }
        return parts.joined(separator: ", ")
    }

    fileprivate var json: JSONValue {
        func time(_ value: Duration?) -> JSONValue? { value.map { JSONValue(milliseconds: $0) } }
        let fields: [(name: String, value: JSONValue?)] = [
            ("lookupMs", time(lookup)), ("connectMs", time(connect)),
            ("tlsMs", time(secure)), ("firstByteMs", time(firstByte)),
            ("totalMs", time(total)), ("received", .int(bytesReceived)),
            ("delivered", .int(bytesDelivered)), ("reused", .bool(isConnectionReused)),
            ("protocol", networkProtocol.map { .string($0) }),
            ("address", remoteAddress.map { .string($0) }),
            ("redirects", .int(redirects)), ("attempts", .int(attempts)),
        ]
        return .object(fields.compactMap { field in field.value.map { (name: field.name, value: $0) } })
    }
}
