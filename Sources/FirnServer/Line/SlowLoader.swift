import Dispatch
package import FirnData
import FirnSync

/// A loader that lets another one load, and hands its bytes on as slowly as a phone's network would. How slow may be
/// changed at any time.
package final class SlowLoader: DataLoading {
    private struct State {
        var condition: LineCondition
        var line: SharedLine
    }

    private let loader: any DataLoading
    private let state: Locked<State>
    private let start = ContinuousClock.now
    /// On which the transfers' events wait and are handed on.
    private let queue = DispatchQueue(label: "firn.slow-loader", qos: .userInitiated)

    /// A loader around another one.
    package init(_ loader: any DataLoading, _ condition: LineCondition = .full) {
        self.loader = loader
        state = Locked(State(condition: condition, line: SharedLine(bitsPerSecond: condition.bitsPerSecond)))
    }

    /// How slow the line is. Transfers under way go on at the new speed.
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
        // No need to look at every byte.
        if condition == .full { return loader.startLoading(request, receive: receive) }
        let transfer = SlowTransfer(
            queue: queue, latency: condition.latency, due: { [weak self] in self?.timeUntilThrough($0) ?? .zero },
            receive: receive)
        let inner = loader.startLoading(request) { event in transfer.arrived(event) }
        transfer.begin(inner)
        return transfer
    }

    /// Hands bytes over to the line: how long from now until they are through.
    private func timeUntilThrough(_ count: Int) -> Duration {
        let now = start.duration(to: .now)
        return state.withLock { $0.line.send(count, at: now) } - now
    }
}
