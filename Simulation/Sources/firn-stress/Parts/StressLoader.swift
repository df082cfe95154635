import FirnData
import FirnSync
import FoundationEssentials
import FirnSystem

/// A loader with its own threads that serves bodies in chunks, to many transfers in turn, and supports range
/// requests.
final class StressLoader: DataLoading {
    private struct State {
        /// Transfers with events to deliver.
        var ready: [StressTransfer] = []
        var next = 0
        var isClosed = false
    }

    private let state = Locked(State())
    private let bell = Bell()
    let counts: Counts

    init(threads: Int, counts: Counts) {
        self.counts = counts
        for _ in 0..<threads {
            WorkerThread.start { [state, bell] in
                while true {
                    bell.wait()
                    let (transfer, isClosed): (StressTransfer?, Bool) = state.withLock { state in
                        guard !state.ready.isEmpty else { return (nil, state.isClosed) }
                        state.next = (state.next &+ 7) % state.ready.count
                        return (state.ready.remove(at: state.next), false)
                    }
                    if isClosed { return }
                    if let transfer, transfer.deliver() { StressLoader.add(transfer, state, bell) }
                }
            }
        }
    }

    /// Ends the threads.
    func close(threads: Int) {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threads { bell.ring() }
    }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let transfer = StressTransfer(request, counts: counts, receive: receive) { [state, bell] in
            StressLoader.add($0, state, bell)
        }
        StressLoader.add(transfer, state, bell)
        return transfer
    }

    private static func add(_ transfer: StressTransfer, _ state: Locked<State>, _ bell: Bell) {
        state.withLock { $0.ready.append(transfer) }
        bell.ring()
    }
}
