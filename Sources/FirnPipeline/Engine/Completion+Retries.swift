import FirnImage
import Synchronization

// Tasks that start again instead of ending.
extension Completion {
    /// Starts tasks again whose file has changed since it was opened for them.
    ///
    /// A task may have joined a read that began before the change. So a request for a file returns the file as it was
    /// at that moment, or later. Each task starts again at most once, since a file that is written all the time would
    /// never end.
    func restartChanged(_ ended: inout [ImageTask], _ job: EngineJob) {
        guard let path = job.request.identities.path, let version = job.sourceVersion else { return }
        // The image of a file that was removed since is shown.
        guard let now = environment.currentVersion(path), now != version else { return }
        restart(&ended) { !$0.isRenewed.exchange(true, ordering: .relaxed) }
    }

    /// Starts tasks again that found no usable processed image on disk. Their next way is the original, or another
    /// processed image.
    func retryFromOriginal(_ ended: inout [ImageTask], _ job: EngineJob) {
        if job.product != nil { return }
        restart(&ended) { task in
            let lookup = task.processedLookup.load(ordering: .relaxed)
            guard lookup == .onFinal || lookup == .onPart, task.state == .running else { return false }
            task.processedLookup.store(lookup == .onFinal ? .finalTried : .tried, ordering: .relaxed)
            return true
        }
    }

    /// Starts tasks again whose entry of the data cache could not be decoded.
    ///
    /// Each task starts again at most once: bytes from the source that cannot be decoded either end it.
    func reload(_ ended: inout [ImageTask]) {
        restart(&ended) { task in
            task.request.options.loads && task.state == .running
                && !task.isReloaded.exchange(true, ordering: .relaxed)
        }
    }

    /// Moves tasks out of `ended` and starts them again. A closed engine starts none; its tasks get what there is.
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
    /// The version of the file that the job worked with.
    fileprivate var sourceVersion: SourceVersion? {
        if case .image(let origin, _)? = product { return origin.container.sourceVersion }
        // A damaged file may be one that was being written.
        if error?.fault == .data, case .bytes(let bytes)? = input { return bytes.version }
        return nil
    }
}
