import FirnData
import FirnSync
import FoundationEssentials

extension StoreStage {
    /// Returns the data that the delegate allows to store; all of it without a delegate.
    ///
    /// Stores run one after the other on a thread of the engine. This may block, since no task waits for a store.
    func kept(_ data: Data, for request: ImageRequest) -> Data? {
        guard let choices = environment.choices else { return data }
        let parker = ThreadParker()
        let result = Locked<Data?>(nil)
        // Most delegates return at once, on this thread.
        _ = Task.immediateDetached {
            let data = await choices.kept(data, for: request)
            result.withLock { $0 = data }
            parker.unpark()
        }
        _ = parker.park(until: nil)
        return result.withLock { $0 }
    }
}
