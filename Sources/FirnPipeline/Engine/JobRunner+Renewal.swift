import FirnData
import FirnImage
import FirnSync
import Synchronization

// Files that change while they are read.
extension JobRunner {
    /// Starts tasks again whose file has changed since it was opened for them, instead of ending them.
    ///
    /// A task may have joined a read that began before the change; so whoever asks for a file gets it as it was at that
    /// moment, or later. A file that is written all the time would never be done: every task is started again once at
    /// most.
    func renew(_ ended: inout [ImageTask], _ work: JobWork) {
        guard let path = work.request.identities.path, let version = work.sourceVersion else { return }
        // What has been removed since is shown as it was.
        guard let now = environment.currentVersion(path), now != version else { return }
        // A pipeline that was shut down starts nothing; those under way get what was read for them.
        guard !state.withLock({ $0.isClosed }) else { return }
        var renewed: [ImageTask] = []
        ended.removeAll { task in
            guard !task.isRenewed.exchange(true, ordering: .relaxed) else { return false }
            renewed.append(task)
            return true
        }
        for task in renewed { startKnown(task) }
    }

    /// Puts a task to work that others know already: they may have changed or cancelled it, or do so now.
    func startKnown(_ task: ImageTask) {
        guard task.state == .running else { return }
        start(task)
        catchUp(with: task)
    }

    /// Does what has become of a task while it was not in the table.
    func catchUp(with task: ImageTask) {
        if task.priority != task.request.priority { self.task(task, changedPriority: task.priority) }
        if task.isPaused { self.task(task, isPaused: true) }
        // Order: cancelled while it was not in the table, it would not be missed there.
        if task.state != .running { taskCancelled(task) }
    }
}

extension JobWork {
    /// Which state of a file the work was done with.
    var sourceVersion: SourceVersion? {
        if case .image(let origin, _) = product { return origin.container.sourceVersion }
        // A damaged file may be one that was being written.
        if error?.fault == .data, case .bytes(let bytes) = input { return bytes.version }
        return nil
    }
}
