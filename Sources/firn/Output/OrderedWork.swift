import Dispatch
import FirnSync

/// Runs blocking work on a few threads and delivers results in order.
enum OrderedWork {
    /// Calls `work` for 0..<count, and `deliver` for each result, in order, on the calling thread.
    ///
    /// At most `threads` items run at once, and at most four times as many results wait for an earlier one.
    static func run<Output: Sendable>(
        count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Output, deliver: (Output) -> Void
    ) {
        let threads = max(1, min(threads, count))
        let isFinished = DispatchSemaphore(value: 0)
        let mayStart = DispatchSemaphore(value: threads * 4)
        let queue = DispatchQueue(label: "firn.ordered", attributes: .concurrent)
        let table = Table<Output>(count: count)
        for _ in 0..<threads {
            queue.async {
                while true {
                    mayStart.wait()
                    guard let index = table.take() else { return }
                    table.finish(index, work(index))
                    isFinished.signal()
                }
            }
        }
        var delivered = 0
        while delivered < count {
            isFinished.wait()
            while let output = table.result(delivered) {
                deliver(output)
                delivered += 1
                mayStart.signal()
            }
        }
        for _ in 0..<threads { mayStart.signal() }
    }
}

extension OrderedWork {
    /// The items that have been taken, and the results that have not been delivered.
    private final class Table<Output: Sendable>: Sendable {
        private struct State {
            var next = 0
            var finished: [Int: Output] = [:]
        }

        private let count: Int
        private let state = Locked(State())

        init(count: Int) { self.count = count }

        /// Returns the next item.
        func take() -> Int? {
            state.withLock { state in
                guard state.next < count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        func finish(_ index: Int, _ output: Output) {
            state.withLock { $0.finished[index] = output }
        }

        func result(_ index: Int) -> Output? {
            state.withLock { $0.finished.removeValue(forKey: index) }
        }
    }
}
