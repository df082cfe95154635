import FirnReport
import FirnSync

/// A running span: its place in a trace, and the exporter of it and its children.
final class Trace: Sendable {
    /// The span that a call belongs to; `nil` for none.
    @TaskLocal static var current: Trace?

    /// The kind of a span, with OTLP's numbers.
    enum Kind: Int { case inner = 1, server, client }

    let context: TraceContext
    private let parent: TraceContext?
    private let exporter: SpanExporter
    private let start: Duration
    /// The time since 1970 when the monotonic clock was zero. The spans of a request share it, so that a changed clock
    /// moves none against another.
    private let epoch: Duration
    /// The end of the last step.
    private let lap = Locked<Duration?>(nil)

    init(
        _ context: TraceContext, parent: TraceContext?, _ exporter: SpanExporter, start: Duration = .monotonic(),
        epoch: Duration = .sinceEpoch() - .monotonic()
    ) {
        (self.context, self.parent, self.exporter, self.start, self.epoch) = (context, parent, exporter, start, epoch)
    }

    /// Starts a child.
    func child(start: Duration = .monotonic()) -> Trace {
        Trace(context.child(), parent: context, exporter, start: start, epoch: epoch)
    }

    /// Exports a child from the end of the last step to now.
    ///
    /// - Parameter name: `nil` to start the first step.
    func step(_ name: String?) {
        let now = Duration.monotonic()
        let last = lap.withLock { lap in
            defer { lap = now }
            return lap
        }
        if let name, let last { child(start: last).end(name) }
    }

    /// Ends and exports the span, unless its trace is not sampled. Call it once.
    ///
    /// - Parameter error: the message of a failure. Default: `nil` for success.
    func end(
        _ name: String, _ kind: Kind = .inner, error: String? = nil,
        _ attributes: @autoclosure () -> KeyValuePairs<String, (any JSONConvertible)?> = [:]
    ) {
        guard context.isSampled else { return }
        let status: JSONValue? = error.map { ["code": 2, "message": $0] }
        exporter.add([
            "traceId": context.trace, "spanId": context.span, "parentSpanId": parent?.span, "traceState": context.state,
            "flags": 1, "name": name, "kind": kind.rawValue,
            "startTimeUnixNano": "\((epoch + start).nanoseconds)",
            "endTimeUnixNano": "\((epoch + .monotonic()).nanoseconds)",
            "attributes": Trace.attributes(attributes()), "status": status,
        ])
    }

    /// Returns attributes in OTLP's form. Those without a value are left out.
    static func attributes(_ values: KeyValuePairs<String, (any JSONConvertible)?>) -> JSONValue {
        let all = JSONValue.fields(values).map { name, value -> JSONValue in
            let isNumber = if case .int = value { true } else { false }
            // A number in JSON would lose digits.
            let typed: JSONValue = [isNumber ? "intValue" : "stringValue": isNumber ? .string(value.text) : value]
            return ["key": name, "value": typed]
        }
        return .array(all)
    }
}
