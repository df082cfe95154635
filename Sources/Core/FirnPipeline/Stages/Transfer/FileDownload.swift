import FirnSync
import FoundationEssentials

/// The file of a download, and the transfer whose bytes it gets: a transfer of its own, or that of a load of the same
/// resource.
///
/// Holds no more of the body than what waits for the disk. The file is open from the start of the transfer on, so a
/// download that waits for a slot has no descriptor and no thread.
final class FileDownload: Sendable {
    private struct State {
        var file: PartialFile?
        /// True if the file must not be opened again.
        var isOver = false
        /// The transfer that writes into the file alone; `nil` before it begins.
        var own: BodyTransfer?
        /// The transfer of a load, whose bytes stay in memory.
        var shared: BodyTransfer?
        /// The body that was read last from the transfer, and the number of its chunks.
        var edition: UInt32 = 0
        var seen = 0
        /// True if the next bytes of this body belong into the file.
        var isPlaced = false
        /// True if the caller's copy is up to date (status 304).
        var isUnchanged = false
        /// The task of a transfer of its own.
        var task: ImageTask?
        /// The loads that get the bytes of that transfer, too.
        var followers: [DownloadFollower] = []
    }

    enum Step {
        case waits
        case complete(DataResponse?)
        /// A transfer of its own has to bring the bytes, or the rest of them.
        case needsTransfer
    }

    let request: ImageRequest
    let path: String
    private let progress: (@Sendable (ImageTask.Progress) -> Void)?
    // Safety: calls that write follow each other, so the lock is free while another thread needs it. It is held while
    // the file is written, which calls no code of the program.
    private let state = Locked(State())
    /// An element says that there may be bytes to write, or an end.
    let signals: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    init(_ request: ImageRequest, to path: String, _ progress: (@Sendable (ImageTask.Progress) -> Void)?) {
        self.request = request
        self.path = path
        self.progress = progress
        (signals, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func signal() { feed.yield() }

    /// Closes the file, which keeps bytes from which a later download can continue. Loads that get its bytes request
    /// the rest themselves.
    func close() {
        let left = state.withLock { state in
            defer {
                state = State()
                state.isOver = true
            }
            return state
        }
        for follower in left.followers { follower.leave() }
        // Order: released without the lock, since a transfer may be an object of the program.
        _ = consume left
    }

    // MARK: Bytes that are here

    /// Copies a file or a fresh entry of the data cache. Blocks.
    func copy(from stage: ReadStage, _ flag: CancellationFlag) throws -> Step {
        if case .image = request.source.reader { throw ImageLoadingError.noBytes(for: request) }
        if request.dataRequest?.method == "HEAD" {
            throw ImageLoadingError(.request, at: .request, of: request, "a HEAD request has no body to download")
        }
        switch stage.run(request, opensFiles: true) {
        case .done(.bytes(let bytes)?): return try copy(bytes, bytes.response, flag)
        case .failed(let error): throw error
        default:
            guard request.options.loads else { throw stage.notCached(request) }
            return .needsTransfer
        }
    }

    /// Writes whole bytes, a file part by part.
    private func copy(_ bytes: FetchedBytes, _ response: DataResponse?, _ flag: CancellationFlag) throws -> Step {
        try state.withLock { try open(&$0).restart(record: nil) }
        var count = 0
        while count < bytes.count {
            if flag.isCancelled { throw CancellationError() }
            let part: Data
            do throws(DataFileError) {
                part = try bytes.rest(from: count, atMost: 1 << 20)
                if part.isEmpty { throw DataFileError("read", request.description, code: DataFileError.changed) }
            } catch {
                let cause = ImageError(error)
                throw ImageLoadingError(.source, at: .loading, of: request, cause.message, underlying: cause)
            }
            try state.withLock { try open(&$0).append(part) }
            count += part.count
            progress?(ImageTask.Progress(completed: count, total: bytes.count))
        }
        try state.withLock { try open(&$0).finish() }
        return .complete(response)
    }

    // MARK: Bytes of a transfer

    /// Opens the file for a transfer of its own.
    ///
    /// - Returns: the bytes in the file that the transfer continues from.
    func begin(_ transfer: BodyTransfer) throws(ImageLoadingError) -> FilePart {
        transfer.whenArriving { self.signal() }
        do throws(DataFileError) {
            return try state.withLock { (state) throws(DataFileError) in
                let file = try open(&state)
                (state.own, state.shared, state.edition) = (transfer, nil, 0)
                (state.isPlaced, state.isUnchanged) = (false, false)
                guard let known = known(file) else { return FilePart(body: nil, count: 0) }
                // A complete body is confirmed by its last byte.
                if let total = known.total, total > 0, file.count >= total { try file.truncate(to: total - 1) }
                guard file.count > 0 else { return FilePart(body: nil, count: 0) }
                state.isPlaced = true
                return FilePart(body: known, count: file.count)
            }
        } catch { throw failure(error) }
    }

    /// Writes what has arrived, and completes the file after the last byte. Blocks.
    ///
    /// - Parameters:
    ///   - task: the task in the engine.
    ///   - joins: whether the task may have joined a load. If that fails, a transfer of its own may succeed.
    ///   - flag: set if the download is cancelled.
    ///   - job: returns the job that the task waits for.
    func advance(
        _ task: ImageTask, joins: Bool, _ flag: CancellationFlag, job: () -> EngineJob?
    ) throws -> Step {
        // Order: read before the bytes, so that all bytes of an ended task are written.
        let outcome = task.outcome
        let arrival = arrival(job)
        if let arrival { try write(arrival) }
        let isOwn = state.withLock { $0.own != nil }
        if isOwn, let arrival { serve(arrival) }
        switch outcome {
        case nil: return .waits
        case .success(let response)?:
            if !isOwn {
                // The load may have used other bytes, as those of a cache.
                guard let bytes = response.origin.bytes else { throw ImageLoadingError.noBytes(for: request) }
                guard bytes === arrival?.whole else { return try copy(bytes, response.dataResponse, flag) }
            }
            for follower in state.withLock({ $0.followers }) { follower.end(nil) }
            let count = try state.withLock { state -> Int? in
                if state.isUnchanged { return nil }
                let file = try open(&state)
                // An empty body without a response.
                if !state.isPlaced { try file.restart(record: nil) }
                try file.finish()
                return file.count
            }
            if let count { progress?(ImageTask.Progress(completed: count, total: count)) }
            return .complete(response.dataResponse)
        case .failure(let error)?:
            // A load has limits that a download does not have, and its other tasks may have caused its failure.
            let isFinal = [.cancelled, .pipeline, .request].contains(error.fault) || error.statusCode != nil
            if isOwn || isFinal || !joins { throw error }
            return .needsTransfer
        }
    }

    /// The bytes of the transfer since the last call; `nil` if there is none yet.
    private func arrival(_ job: () -> EngineJob?) -> BodyTransfer.Arrival? {
        var (own, shared, edition, seen) = state.withLock { ($0.own, $0.shared, $0.edition, $0.seen) }
        if let own { return own.drain() }
        if shared == nil, let job = job(), case .fetch = job.work, let transfer = job.transfer {
            shared = transfer
            transfer.whenArriving { self.signal() }
            state.withLock { state in
                state.shared = transfer
                (edition, seen) = (state.edition, state.seen)
            }
        }
        return shared?.arrival(after: seen, of: edition)
    }

    private func write(_ arrival: BodyTransfer.Arrival) throws {
        let count = try state.withLock { state -> Int? in
            if arrival.edition != state.edition {
                (state.edition, state.seen, state.isPlaced, state.isUnchanged) = (arrival.edition, 0, false, false)
            }
            state.seen += arrival.chunks.count
            if !state.isPlaced, arrival.response != nil || !arrival.chunks.isEmpty { try place(arrival, &state) }
            guard state.isPlaced, !state.isUnchanged else { return nil }
            let file = try open(&state)
            var offset = arrival.count - arrival.chunks.reduce(0) { $0 + $1.count }
            for chunk in arrival.chunks {
                // The file may have the first bytes already.
                let surplus = max(0, file.count - offset)
                if surplus < chunk.count { try file.append(chunk.dropFirst(surplus)) }
                offset += chunk.count
            }
            return file.count
        }
        if let count { progress?(ImageTask.Progress(completed: count, total: arrival.total)) }
    }

    /// Prepares the file for the first bytes of a body.
    private func place(_ arrival: BodyTransfer.Arrival, _ state: inout State) throws {
        let whole = request.dataRequest
        let body = whole.flatMap { whole in arrival.response.flatMap { ResumableBody($0, to: whole) } }
        if let response = arrival.response {
            state.isUnchanged = response.status == 304
            if !state.isUnchanged, let refusal = FileDownload.refusal(response, to: whole) {
                throw ImageLoadingError(refusal, for: request)
            }
        }
        state.isPlaced = true
        if state.isUnchanged { return }
        let file = try open(&state)
        // A load brings the body from its first byte. The file may have a part of the same body.
        if state.own == nil, let body, body == known(file), file.count <= body.total ?? .max { return }
        try file.restart(record: body.flatMap { try? JSONEncoder().encode($0) })
    }

    /// Returns the error for a successful response that does not have the requested body.
    private static func refusal(_ response: DataResponse, to whole: DataRequest?) -> DataLoadingError? {
        guard let status = response.status, status != 200, status != 203 else { return nil }
        if status == 206, whole?.headers["Range"] != nil { return nil }
        return DataLoadingError(.status(status), "the server responded with \(status), without the requested body")
    }

    // MARK: Loads of the same resource

    /// Sets the task whose priority is that of the transfer.
    func begins(_ task: ImageTask) { state.withLock { $0.task = task } }

    /// Makes a load a reader of this transfer.
    ///
    /// - Returns: false if there is no transfer, or if it may not proceed before the load ends.
    func add(_ follower: DownloadFollower, _ priority: DataPriority) -> Bool {
        let isServed = state.withLock { state in
            guard state.own?.mayServe == true else { return false }
            state.followers.append(follower)
            return true
        }
        guard isServed else { return false }
        raise(to: priority)
        signal()
        return true
    }

    /// Gives the transfer at least the priority of a load that waits for it.
    func raise(to priority: DataPriority) {
        guard let level = ImageRequest.Priority(rawValue: priority.rawValue), let task = state.withLock({ $0.task })
        else { return }
        if task.priority < level { task.priority = level }
    }

    /// Passes the bytes in the file to the loads that wait for them. Blocks.
    private func serve(_ arrival: BodyTransfer.Arrival) {
        let followers = state.withLock { $0.isPlaced ? $0.followers : [] }
        for follower in followers where follower.begin(arrival) {
            while !follower.isOver,
                let part = state.withLock({ try? $0.file?.read(from: follower.offset, atMost: 1 << 20) }),
                !part.isEmpty
            {
                follower.take(part)
            }
        }
    }

    // MARK: The file

    private func open(_ state: inout State) throws(DataFileError) -> PartialFile {
        if let file = state.file { return file }
        if state.isOver { throw DataFileError("write", path, code: DataFileError.changed) }
        let file = try PartialFile(for: path)
        state.file = file
        return file
    }

    /// The body in the file, if its rest can be requested.
    private func known(_ file: PartialFile) -> ResumableBody? {
        guard let whole = request.dataRequest, whole.method == "GET", whole.headers["Range"] == nil else { return nil }
        return file.record.flatMap { try? JSONDecoder().decode(ResumableBody.self, from: $0) }
    }

    /// Returns the error of a download whose file cannot be written.
    func failure(_ error: DataFileError) -> ImageLoadingError {
        let cause = ImageError(error, at: .writing)
        return ImageLoadingError(.request, at: .loading, source: path, message: cause.message, underlying: cause)
    }
}
