import FirnData
import FirnImage
import FirnSync

// What goes into the data cache: nobody waits for it, and it does not pile up in memory.
extension JobRunner {
    /// What is on its way into data caches.
    struct Stores {
        /// Bytes that may be on their way; what comes then is not kept. A cache that is so far behind has more to do
        /// than it can.
        private static let limit = 64 << 20
        private(set) var bytes = 0
        private(set) var count = 0

        /// - Returns: whether there is room for so many bytes. One entry there always is.
        mutating func begin(_ size: Int) -> Bool {
            guard count == 0 || size <= Stores.limit - bytes else { return false }
            count += 1
            bytes += size
            return true
        }

        mutating func end(_ size: Int) {
            count -= 1
            bytes -= size
        }
    }

    /// Sees to it that work is kept on disk. Called with the lock held.
    func addStore(_ work: JobWork, _ state: inout State) {
        guard state.stores.begin(work.storedBytes) else {
            state.statistics.failedStores += 1
            if case .bytes(let bytes) = work.input {
                // No task has ended with them yet, so nothing waits for this.
                _ = bytes.noteKept(.failed(DataCachingError("\(work.request): too much is waiting to be kept")))
            }
            return
        }
        state.table.addDetached(work, stage: .store)
    }

    /// Bytes of a transfer are worth writing while more arrive, or are of no more use.
    func transferSpilled(_ part: PartialPart, of request: ImageRequest) {
        let call = state.withLock { state in
            guard !state.isClosed else { return IdleWorkers.Call.none }
            addStore(JobWork(keeping: part, of: request), &state)
            return state.call()
        }
        perform(call)
    }

    /// Keeps something. The cache may write it later.
    func store(_ work: JobWork) -> StageOutcome {
        let (request, bytes) = (work.request, work.storedBytes)
        let ended = Locked<StoreStage.Ending?>(nil)
        let isBitmap = if case .pixels = work.input { true } else { false }
        StoreStage(environment: environment).run(work) { [self] ending in
            if case .failed(let error) = ending { environment.tell(error, of: request) }
            ended.withLock { $0 = ending }
            let flushed = state.withLock { state in
                switch ending {
                case .kept where isBitmap: state.statistics.bitmapStores += 1
                case .kept: state.statistics.stores += 1
                case .failed: state.statistics.failedStores += 1
                case .left: break
                }
                state.stores.end(bytes)
                return state.takeFlushed()
            }
            for continuation in flushed { continuation.resume() }
        }
        if case .bytes(let bytes) = work.input {
            // What the cache has taken it finds from now on, even if it is written later.
            let ending = ended.withLock { $0 } ?? .kept
            for body in bytes.noteKept(ending) { body(ending) }
        }
        return .finished
    }
}

extension JobWork {
    /// Bytes in memory that wait for being kept on disk.
    var storedBytes: Int {
        switch input {
        case .bytes(let bytes): bytes.count
        case .image(let origin, _), .pixels(let origin): origin.container.image.cost
        case .part(.keep(let segment)): segment.count
        case .none, .arriving, .part: 0
        }
    }
}
