import FirnData
import FirnImage
import FirnSync
import Synchronization

// Entries of the data cache that cannot be decoded. Every entry counts as unproved until it is decoded: one that fails
// is removed and the bytes are loaded once more.
extension JobRunner {
    /// Starts tasks again whose bytes the data cache had, and that are no image.
    ///
    /// Once for each task: bytes from the source that are no image either end it.
    func reload(_ ended: inout [ImageTask]) {
        guard !state.withLock({ $0.isClosed }) else { return }
        var again: [ImageTask] = []
        ended.removeAll { task in
            guard task.request.options.loads, task.state == .running,
                !task.isReloaded.exchange(true, ordering: .relaxed)
            else { return false }
            again.append(task)
            return true
        }
        for task in again { startKnown(task) }
    }

    /// Removes the entry that a failed decode worked on. Blocks on the disk.
    ///
    /// - Returns: whether it worked on one.
    @discardableResult
    func removeDamaged(_ work: JobWork) -> Bool {
        guard case .bytes(let bytes) = work.input, let key = bytes.diskKey else { return false }
        do throws(DataCachingError) {
            try environment.dataCache(for: work.request)?.remove(key)
        } catch {
            // It is found again then, and tried again.
            environment.tell(error, of: work.request)
        }
        return true
    }
}
