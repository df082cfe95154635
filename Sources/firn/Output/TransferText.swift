import Firn
import FirnReport

/// The metrics of a transfer as text and as JSON.
enum TransferText {
    static func text(_ metrics: TransferMetrics) -> String {
        var parts: [String] = [metrics.networkProtocol ?? "transfer"]
        func add(_ name: String, _ time: Duration?) {
            if let time { parts.append("\(name) \(DurationText.text(time))") }
        }
        add("look-up", metrics.lookup)
        if metrics.isConnectionReused { parts.append("connection used again") }
        add("connection", metrics.connect)
        add("TLS", metrics.secure)
        add("first byte after", metrics.firstByte)
        add("in all", metrics.total)
        parts.append("\(ByteText.text(metrics.bytesReceived)) received")
        if metrics.bytesReceived != metrics.bytesDelivered {
            parts.append("\(ByteText.text(metrics.bytesDelivered)) unpacked")
        }
        if metrics.redirects > 0 { parts.append("\(metrics.redirects) redirects") }
        if metrics.attempts > 1 { parts.append("\(metrics.attempts) attempts") }
        if let address = metrics.remoteAddress { parts.append("from \(address)") }
        return parts.joined(separator: ", ")
    }

    static func json(_ metrics: TransferMetrics) -> JSONValue {
        func time(_ value: Duration?) -> JSONValue? {
            value.map { .double(($0.milliseconds * 1000).rounded() / 1000) }
        }
        let fields: [(name: String, value: JSONValue?)] = [
            ("lookupMs", time(metrics.lookup)), ("connectMs", time(metrics.connect)),
            ("tlsMs", time(metrics.secure)), ("firstByteMs", time(metrics.firstByte)),
            ("totalMs", time(metrics.total)), ("received", .int(metrics.bytesReceived)),
            ("delivered", .int(metrics.bytesDelivered)), ("reused", .bool(metrics.isConnectionReused)),
            ("protocol", metrics.networkProtocol.map { .string($0) }),
            ("address", metrics.remoteAddress.map { .string($0) }),
            ("redirects", .int(metrics.redirects)), ("attempts", .int(metrics.attempts)),
        ]
        return .object(fields.compactMap { field in field.value.map { (name: field.name, value: $0) } })
    }
}
