/// The place of a span in a trace: the fields `traceparent` and `tracestate`.
///
/// Source: W3C Trace Context, level 1.
struct TraceContext: Sendable, Equatable {
    /// The two halves of the trace's ID. Not both zero.
    private let high, low: UInt64
    /// The ID of the span. Not zero.
    private var spanID = TraceContext.newID()
    /// True if the spans of the trace are exported.
    let isSampled: Bool
    /// The field that tracing systems pass on; `nil` for none.
    let state: String?

    /// Creates a new trace.
    ///
    /// - Parameter sampled: the share of new traces that are sampled.
    init(sampled: Double) {
        (high, low, state) = (TraceContext.newID(), TraceContext.newID(), nil)
        isSampled = Double(low >> 11) < sampled * 0x1p53
    }

    /// Reads the fields of a request. Ignores a `state` of more than 512 bytes, or with other bytes than printable
    /// ones.
    ///
    /// - Returns: `nil` without a valid `parent`.
    init?(_ parent: String?, state: String?) {
        // Version, trace, span and flags. A later version may append more.
        let bytes = Array((parent ?? "").utf8)
        let parts = bytes.prefix(55).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 32, 16, 2], bytes.count == 55 || bytes[55] == UInt8(ascii: "-"),
            let version = TraceContext.number(parts[0]), version == 0 ? bytes.count == 55 : version < 255,
            let high = TraceContext.number(parts[1].prefix(16)), let low = TraceContext.number(parts[1].suffix(16)),
            let span = TraceContext.number(parts[2]), let flags = TraceContext.number(parts[3]),
            high | low != 0, span != 0
        else { return nil }
        (self.high, self.low, spanID, isSampled) = (high, low, span, flags & 1 != 0)
        let isValid = state.map { $0.utf8.count <= 512 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
        self.state = isValid == true ? state : nil
    }

    /// Returns the context of another span of the trace.
    func child() -> TraceContext {
        var child = self
        child.spanID = TraceContext.newID()
        return child
    }

    /// The ID of the trace in 32 digits.
    var trace: String { TraceContext.text(high) + TraceContext.text(low) }
    /// The ID of the span in 16 digits.
    var span: String { TraceContext.text(spanID) }
    /// The field `traceparent`.
    var parent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    private static func newID() -> UInt64 { .random(in: 1...UInt64.max) }

    private static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads at most 16 lower-case hexadecimal digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
