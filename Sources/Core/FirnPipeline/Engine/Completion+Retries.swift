import FirnImage
import Synchronization

// Tasks that are restarted instead of ended.
extension Completion {
    /// Restarts tasks whose file has changed since it was opened.
    ///
    /// A task may have joined a read that began before the change. With the restart, a request for a file returns the
    /// file as it was at the time of the request, or later. Each task restarts at most once, since it would never end
    /// for a file that is written continuously.
    func restartChanged(_ ended: inout [ImageTask], _ job: EngineJob) {
        guard let path = job.request.identities.path, let version = job.sourceVersion else { return }
        // If the file was removed since, its image is the result.
        guard let now = environment.currentVersion(path), now != version else { return }
        restart(&ended) { !$0.isRenewed.exchange(true, ordering: .relaxed) }
    }

    /// Restarts tasks that found no usable processed image on disk, of a job without a product. They use the original
    /// or another processed image then.
    func retryFromOriginal(_ ended: inout [ImageTask]) {
        restart(&ended) { task in
            let lookup = task.processedLookup.load(ordering: .relaxed)
            guard lookup == .onFinal || lookup == .onPart, task.state == .running else { return false }
            task.processedLookup.store(lookup == .onFinal ? .finalTried : .tried, ordering: .relaxed)
            return true
        }
    }

    /// Restarts tasks whose data-cache entry could not be decoded.
    ///
    /// Each task restarts at most once: if the bytes of the source cannot be decoded either, they end the task.
    func reload(_ ended: inout [ImageTask]) {
        restart(&ended) { task in
            task.request.options.loads && task.state == .running
                && !task.isReloaded.exchange(true, ordering: .relaxed)
        }
    }

    /// Removes tasks from `ended` and starts them again. Does nothing if the engine is closed; the tasks end with the
    /// present result.
    private func restart(_ ended: inout [ImageTask], where condition: (ImageTask) -> Bool) {
        guard !shell.isClosed else { return }
        var again: [ImageTask] = []
        ended.removeAll { task in
            guard condition(task) else { return false }
            again.append(task)
            return true
        }
        for task in again { startKnown(task) }
    }
}

extension EngineJob {
    /// The version of the file that the job used.
    fileprivate var sourceVersion: SourceVersion? {
        if case .image(let origin, _)? = product { return origin.container.sourceVersion }
        // The file may have been damaged because it was being written.
        if error?.fault == .data, case .bytes(let bytes)? = input { return bytes.version }
        return nil
    }
}
