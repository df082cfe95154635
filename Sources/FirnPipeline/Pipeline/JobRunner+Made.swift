import FirnData
import FirnImage
import FirnSync
import Synchronization

// Pictures that are on disk as they are wanted: processed, in their size, encoded anew.
extension JobRunner {
    /// Where a task is on its way to a picture that was made before.
    enum MadeRoute {
        static let untried: UInt8 = 0
        static let onIt: UInt8 = 1
        static let tried: UInt8 = 2
    }

    /// The key under which a task's picture may be on disk; `nil` if it is not to be looked for.
    func madeKey(for task: ImageTask) -> String? {
        let request = task.request
        guard environment.dataCachePolicy.keepsMade, request.isMade, !request.wantsBytes, request.options.readsDisk,
            request.isKeptOnDisk, task.madeRoute.load(ordering: .relaxed) == MadeRoute.untried,
            environment.dataCache(for: request) != nil
        else { return nil }
        return request.madeDataCacheKey
    }

    /// The way of a task whose picture may be on disk.
    func addMade(_ task: ImageTask, key: String) {
        task.madeRoute.store(MadeRoute.onIt, ordering: .relaxed)
        let request = task.request
        let steps: RequestSteps =
            request.pixelFormat == .bgra8Premultiplied
            ? .plain
            : .list([.decode(RequestStep.Decode(target: nil, isExact: false, format: request.pixelFormat))])
        add(task, key: ResourceKey("made:\(key)"), steps: steps) { now in
            Table.Root(work: JobWork(reading: key, of: request, at: now), stage: .read)
        }
    }

    /// Starts tasks again whose picture is not on disk, or is damaged there: this time from the original.
    func makeAnew(_ ended: inout [ImageTask], _ work: JobWork) {
        guard environment.dataCachePolicy.keepsMade, work.error != nil || JobRunner.origin(of: work.product) == nil,
            !state.withLock({ $0.isClosed })
        else { return }
        var again: [ImageTask] = []
        ended.removeAll { task in
            guard task.madeRoute.load(ordering: .relaxed) == MadeRoute.onIt, task.state == .running else {
                return false
            }
            task.madeRoute.store(MadeRoute.tried, ordering: .relaxed)
            again.append(task)
            return true
        }
        for task in again { startKnown(task) }
    }

    /// Sees to it that of a picture that a job has made is kept what the policy says. Called with the lock held.
    ///
    /// - Parameter ended: the tasks that end with it, from a place on.
    func storeProduct(of job: StartedJob, _ ended: [ImageTask], from first: Int, _ state: inout State) {
        let policy = environment.dataCachePolicy
        guard policy.keepsMade else {
            if let bytes = job.work.takeStore() { addStore(JobWork(storing: bytes, of: job.work.request), &state) }
            return
        }
        guard case .picture(let origin, let bytes) = job.work.product else { return }
        let ended = ended[first...]
        let isAnimation = bytes.isAnimation
        if bytes.mayStore, isAnimation || policy.keepsOriginal(for: ended.lazy.map(\.request)), bytes.takeStore() {
            addStore(JobWork(storing: bytes, of: job.work.request), &state)
        }
        guard !isAnimation, !origin.container.isPreview else { return }
        var last: String?
        for task in ended {
            let request = task.request
            guard policy.encodes(request), request.options.writesDisk, request.isKeptOnDisk, !request.wantsBytes,
                // What comes from there is there.
                task.madeRoute.load(ordering: .relaxed) != MadeRoute.onIt, request.isMade || !bytes.isFromDisk,
                request.madeDataCacheKey != last
            else { continue }
            last = request.madeDataCacheKey
            addStore(JobWork(storing: origin, bytes, of: request), &state)
        }
    }
}
