import FirnData
import FirnSync
import FoundationEssentials

extension StoreStage {
    /// What the delegate lets be kept; all of it where there is none.
    ///
    /// Stores are made one after the other by a thread of ours, which may wait here: nobody waits for it.
    func kept(_ data: Data, for request: ImageRequest) -> Data? {
        guard let choices = environment.choices else { return data }
        let parker = ThreadParker()
        let answer = Locked<Data?>(nil)
        // Mostly nothing is waited for, and all is done on this thread.
        _ = Task.immediateDetached {
            let data = await choices.kept(data, for: request)
            answer.withLock { $0 = data }
            parker.unpark()
        }
        _ = parker.park(until: nil)
        return answer.withLock { $0 }
    }
}
