import Dispatch
package import FirnData
import FirnSync

/// Wraps a loader and delivers its bytes at the speed of a phone's network, which can be changed at any time.
package final class SlowLoader: DataLoading {
    private let loader: any DataLoading
    private let line: Locked<SharedLine>
    private let start = ContinuousClock.now
    /// The queue on which events of the transfers are delayed and delivered.
    private let queue = DispatchQueue(label: "firn.slow-loader", qos: .userInitiated)

    package init(_ loader: any DataLoading, _ condition: LineCondition = .full) {
        self.loader = loader
        line = Locked(SharedLine(condition))
    }

    /// The condition of the line. Running transfers continue at the new speed.
    package var condition: LineCondition {
        get { line.withLock { $0.condition } }
        set { line.withLock { $0 = SharedLine(newValue) } }
    }

    package func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let condition = condition
        // At full speed, bytes need no inspection.
        if condition == .full { return loader.startLoading(request, receive: receive) }
        let due: @Sendable (Int) -> Duration = { [line, start] count in
            let now = start.duration(to: .now)
            return line.withLock { $0.send(count, at: now) } - now
        }
        let transfer = SlowTransfer(queue: queue, latency: condition.latency, due: due, receive: receive)
        let inner = loader.startLoading(request) { event in transfer.arrived(event) }
        transfer.begin(inner)
        return transfer
    }
}

/// Computes when bytes pass a line of limited bandwidth that several transfers share.
///
/// Invariant: bytes pass one after the other, in the order of the calls, and never faster than the bandwidth. So every
/// transfer gets its share, and unused bandwidth is not saved. Reads no clock.
struct SharedLine {
    let condition: LineCondition
    private var freeAt: Duration = .zero

    init(_ condition: LineCondition) { self.condition = condition }

    /// Sends bytes at `now`, a time since some fixed moment, and returns when the last of them has passed.
    mutating func send(_ count: Int, at now: Duration) -> Duration {
        guard let bitsPerSecond = condition.bitsPerSecond else { return now }
        freeAt = max(freeAt, now) + .seconds(Double(count) * 8 / Double(max(1, bitsPerSecond)))
        return freeAt
    }
}

/// The latency and bandwidth of a line.
package struct LineCondition: Hashable, Sendable {
    package let name: String
    /// The time from a request to the first byte of its response.
    package let latency: Duration
    /// The bandwidth that all transfers share; `nil` for no limit.
    package let bitsPerSecond: Int?

    package init(_ name: String, latency: Duration, bitsPerSecond: Int?) {
        self.name = name
        self.latency = latency
        self.bitsPerSecond = bitsPerSecond
    }

    /// No delay and no limit.
    package static let full = LineCondition("full speed", latency: .zero, bitsPerSecond: nil)
    /// A phone on LTE at midday.
    package static let phone = LineCondition("phone", latency: .milliseconds(70), bitsPerSecond: 10_000_000)
    /// A phone on a train.
    package static let weak = LineCondition("weak phone", latency: .milliseconds(300), bitsPerSecond: 1_000_000)

    /// All conditions, from fast to slow.
    package static let all = [full, phone, weak]
}
