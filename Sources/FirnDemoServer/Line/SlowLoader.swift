import Dispatch
package import FirnData
import FirnSync

/// A loader around another one that delivers bytes at the speed of a phone's network. The speed can be
/// changed at any time.
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

    /// Creates a loader around another one.
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
