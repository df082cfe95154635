import FirnData
import FirnImage
import FirnSync
import Synchronization

// Images that are on disk as they are wanted, or as some of their request's processors left them: encoded anew.
extension JobRunner {
    /// Where a task is on its way to an image that was made before.
    enum ProcessedLookup {
        static let untried: UInt8 = 0
        /// It reads its own image.
        static let onFinal: UInt8 = 1
        /// Its own image is not on disk, or is damaged.
        static let finalTried: UInt8 = 2
        /// It reads an image that some of its processors are still to be run on.
        static let onPart: UInt8 = 3
        /// Nothing that was made before serves.
        static let tried: UInt8 = 4
    }

    /// The task's own image as it may be on disk, which is looked for before the original; `nil` if it is not to be.
    func processedImage(for task: ImageTask) -> ProcessedImage? {
        let request = task.request
        guard environment.dataCachePolicy.keepsProcessed, request.isProcessed, !request.wantsBytes,
            request.options.readsDisk,
            request.isKeptOnDisk, task.processedLookup.load(ordering: .relaxed) == ProcessedLookup.untried,
            environment.dataCache(for: request) != nil
        else { return nil }
        return ProcessedImage(key: request.processedDataCacheKey, processed: request.processors.count, isFinal: true)
    }

    /// Sends the tasks of a read whose original is not on disk to what was made of it before: whatever the policy is
    /// now, that is less than to load it again. Blocks on the disk.
    ///
    /// - Returns: whether a task still waits for the read.
    func serveFromMade(_ ticket: JobTicket) -> Bool {
        let clients = state.withLock { state in
            state.table.clients(of: ticket) { $0.request.isProcessed && !$0.request.wantsBytes }
        }
        for task in clients {
            guard let product = productOnDisk(for: task) else { continue }
            let now = JobRunner.now()
            change { $0.cancel(task.ticket, now: now) }
            addMade(task, product)
            catchUp(with: task)
        }
        return state.withLock { $0.table.isWanted(ticket) }
    }

    /// The furthest that the data cache has of what leads to a task's image.
    private func productOnDisk(for task: ImageTask) -> ProcessedImage? {
        let route = task.processedLookup.load(ordering: .relaxed)
        let request = task.request
        guard route == ProcessedLookup.untried || route == ProcessedLookup.finalTried, request.options.readsDisk,
            request.isKeptOnDisk, let cache = environment.dataCache(for: request)
        else { return nil }
        return request.processedImages.first { product in
            !(product.isFinal && route == ProcessedLookup.finalTried) && cache.contains(product.key)
        }
    }

    /// The way of a task by an image that may be on disk.
    func addMade(_ task: ImageTask, _ product: ProcessedImage) {
        task.processedLookup.store(
            product.isFinal ? ProcessedLookup.onFinal : ProcessedLookup.onPart, ordering: .relaxed)
        let request = task.request
        add(task, key: ResourceKey("made:\(product.key)"), steps: request.steps(after: product)) { now in
            Table.Root(work: JobWork(reading: product.key, of: request, at: now), stage: .read)
        }
    }

    /// Starts tasks again whose way by an image on disk has ended without one: this time by what is left.
    func retryFromOriginal(_ ended: inout [ImageTask], _ work: JobWork) {
        guard work.error != nil || work.hasNoProduct, !state.withLock({ $0.isClosed }) else { return }
        var again: [ImageTask] = []
        ended.removeAll { task in
            let route = task.processedLookup.load(ordering: .relaxed)
            guard route == ProcessedLookup.onFinal || route == ProcessedLookup.onPart, task.state == .running else {
                return false
            }
            let next = route == ProcessedLookup.onFinal ? ProcessedLookup.finalTried : ProcessedLookup.tried
            task.processedLookup.store(next, ordering: .relaxed)
            again.append(task)
            return true
        }
        for task in again { startKnown(task) }
    }

    /// Sees to it that of an image that a job has made is kept what the policy says. Called with the lock held.
    ///
    /// - Parameter ended: the tasks that end with it, from a place on.
    func storeProduct(of job: StartedJob, _ ended: [ImageTask], from first: Int, _ state: inout State) {
        let policy = environment.dataCachePolicy
        guard policy.keepsProcessed else {
            if let bytes = job.work.takeStore() { addStore(JobWork(storing: bytes, of: job.work.request), &state) }
            return
        }
        guard case .image(let origin, let bytes) = job.work.product else { return }
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
                task.processedLookup.load(ordering: .relaxed) != ProcessedLookup.onFinal,
                request.isProcessed || !bytes.isFromDisk,
                request.processedDataCacheKey != last
            else { continue }
            last = request.processedDataCacheKey
            addStore(JobWork(storing: origin, bytes, of: request), &state)
        }
    }
}
