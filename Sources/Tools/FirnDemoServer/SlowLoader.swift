import Dispatch
package import FirnData
import FirnSync

/// A loader that delivers the bytes of another one at the speed of a phone's network. The speed can be changed at any
/// time.
package final class SlowLoader: DataLoading {
    private struct State {
        var condition: LineCondition
        var line: SharedLine
    }

    private let loader: any DataLoading
    private let state: Locked<State>
    private let start = ContinuousClock.now
    /// The queue on which events of the transfers are delayed and delivered.
    private let queue = DispatchQueue(label: "firn.slow-loader", qos: .userInitiated)

    package init(_ loader: any DataLoading, _ condition: LineCondition = .full) {
        self.loader = loader
        state = Locked(State(condition: condition, line: SharedLine(bitsPerSecond: condition.bitsPerSecond)))
    }

    /// The condition of the line. Running transfers continue at the new speed.
    package var condition: LineCondition {
        get { state.withLock { $0.condition } }
        set {
            state.withLock { $0 = State(condition: newValue, line: SharedLine(bitsPerSecond: newValue.bitsPerSecond)) }
        }
    }

    package func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let condition = condition
        // At full speed, bytes need no inspection.
        if condition == .full { return loader.startLoading(request, receive: receive) }
        let transfer = SlowTransfer(
            queue: queue, latency: condition.latency, due: { [weak self] in self?.timeUntilThrough($0) ?? .zero },
            receive: receive)
        let inner = loader.startLoading(request) { event in transfer.arrived(event) }
        transfer.begin(inner)
        return transfer
    }

    /// Sends bytes through the line and returns the time until they have passed.
    private func timeUntilThrough(_ count: Int) -> Duration {
        let now = start.duration(to: .now)
        return state.withLock { $0.line.send(count, at: now) } - now
    }
}

/// Computes when bytes pass a line of limited bandwidth that several transfers share.
///
/// Invariant: bytes pass one after the other, in the order of the calls, and never faster than the bandwidth. So every
/// transfer gets its share, and unused bandwidth is lost. Reads no clock.
struct SharedLine {
    /// Bits per second; `nil` for no limit.
    let bitsPerSecond: Int?
    private var freeAt: Duration = .zero

    init(bitsPerSecond: Int?) { self.bitsPerSecond = bitsPerSecond.map { max(1, $0) } }

    /// Sends bytes at `now`, a time since some fixed moment, and returns when the last of them has passed.
    mutating func send(_ count: Int, at now: Duration) -> Duration {
        guard let bitsPerSecond else { return now }
        freeAt = max(freeAt, now) + .seconds(Double(count) * 8 / Double(bitsPerSecond))
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
