import FirnCache
import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

/// One download into a file: a thread that writes the chunks of a transfer, requests the rest after a cut, and names
/// the file when it is complete. Takes no part in the job table.
final class FileDownload: Sendable {
    private struct State {
        /// The events that are not handled yet, and the bytes in them.
        var events: [DataEvent] = []
        var bytes = 0
        /// The number of the present connection. Events of earlier ones are dropped.
        var connection = 0
        var handle: (any DataTransfer)?
        var isPaused = false
        /// True during a call to the loader: calls are made one after the other, in the order of the decisions.
        var isCalling = false
        var isCancelled = false
        var call: Task<DataResponse?, any Error>?
    }

    private enum Ending {
        case complete(DataResponse?)
        /// The received part is of another body.
        case useless
        case failed(DataLoadingError)
    }

    /// The threads of downloads. Further downloads wait.
    static let threads = WorkerQueue(count: 8)
    /// The received bytes above which the loader waits for the disk.
    private static let bufferedBytes = 4 << 20
    /// The bytes after which earlier failures of the transfer no longer count.
    private static let recovery = 1 << 20

    private let request: ImageRequest
    private let path: String
    private let stage: ReadStage
    private let transfers: TransferStage
    private let progress: (@Sendable (ImageTask.Progress) -> Void)?
    private let state = Locked(State())
    private let parker = ThreadParker()

    init(
        _ request: ImageRequest, to path: String, _ stage: ReadStage, _ transfers: TransferStage,
        _ progress: (@Sendable (ImageTask.Progress) -> Void)?
    ) {
        self.request = request
        self.path = path
        self.stage = stage
        self.transfers = transfers
        self.progress = progress
    }

    /// Waits for a thread, and downloads the file.
    ///
    /// - Throws: those of ``run()``; `CancellationError`.
    func response() async throws -> DataResponse? {
        let call = Task { try await BlockingCall.run(on: FileDownload.threads) { _ in try self.run() } }
        let isCancelled = state.withLock { state in
            state.call = call
            return state.isCancelled
        }
        if isCancelled { call.cancel() }
        return try await withTaskCancellationHandler {
            try await call.value
        } onCancel: {
            cancel()
        }
    }

    /// Ends the download, or its wait for a thread.
    func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel()
        parker.unpark()
    }

    /// Downloads the file. Blocks until it is complete.
    ///
    /// - Throws: `ImageLoadingError`, or the `DataFileError` of the file.
    private func run() throws -> DataResponse? {
        if case .image = request.source.reader { throw ImageLoadingError.noBytes(for: request) }
        if case .loader(let whole) = request.source.reader, whole.method == "HEAD" {
            throw ImageLoadingError(.request, at: .request, of: request, "a HEAD request has no body to download")
        }
        let file = try PartialFile(for: path)
        switch stage.run(request, opensFiles: true) {
        case .done(.bytes(let bytes)?):
            try copy(bytes, to: file)
            return bytes.response
        case .failed(let error): throw error
        default:
            guard request.options.loads else { throw stage.notCached(request) }
            return try load(into: file)
        }
    }

    /// Writes bytes that are here, a file part by part.
    private func copy(_ bytes: FetchedBytes, to file: PartialFile) throws {
        try file.restart(record: nil)
        while file.count < bytes.count {
            if state.withLock({ $0.isCancelled }) { throw CancellationError() }
            let part: Data
            do throws(DataFileError) {
                part = try bytes.rest(from: file.count, atMost: 1 << 20)
                if part.isEmpty { throw DataFileError("read", request.description, code: DataFileError.changed) }
            } catch {
                let cause = ImageError(error)
                throw ImageLoadingError(.source, at: .loading, of: request, cause.message, underlying: cause)
            }
            try file.append(part)
            progress?(ImageTask.Progress(completed: file.count, total: bytes.count))
        }
        try file.finish()
    }

    private func load(into file: PartialFile) throws -> DataResponse? {
        var whole = request.dataRequest
        whole?.isUnlimited = true
        // Only the length of a body that is not compressed is known, and only its parts can be requested.
        if whole?.headers["Accept-Encoding"] == nil { whole?.headers["Accept-Encoding"] = "identity" }
        let isPlain = whole?.method == "GET" && whole?.headers["Range"] == nil
        var known = isPlain ? file.record.flatMap { try? JSONDecoder().decode(ResumableBody.self, from: $0) } : nil
        var retries = 0
        while true {
            // A complete body is confirmed by its last byte.
            if let total = known?.total, total > 0, file.count >= total { try file.truncate(to: total - 1) }
            let start = file.count
            let rest = whole.flatMap { known?.request($0, from: start) }
            switch try attempt(rest, or: whole, into: file, &known) {
            case .complete(let response): return response
            case .useless: known = nil
            case .failed(let error):
                if file.count - start >= FileDownload.recovery { retries = 0 }
                let delay = transfers.retries.delay(
                    beforeRetry: retries, after: error, method: whole?.method ?? "", random: .random(in: 0..<1))
                if let delay {
                    retries += 1
                    let end = MonotonicClock.now().saturatingAdd(delay.nanoseconds)
                    while MonotonicClock.now() < end, !state.withLock({ $0.isCancelled }) {
                        _ = parker.park(until: end)
                    }
                } else if rest != nil, case .status = error.cause {
                    // The server refuses the range. It may accept a request without one.
                    known = nil
                } else {
                    throw ImageLoadingError(error, for: request)
                }
            }
        }
    }

    /// Sends a request, and writes its body.
    ///
    /// - Parameters:
    ///   - rest: the request for the bytes that the file lacks; `nil` to send `whole`, whose body replaces them.
    ///   - known: the body in the file, if its rest can be requested.
    private func attempt(
        _ rest: DataRequest?, or whole: DataRequest?, into file: PartialFile, _ known: inout ResumableBody?
    ) throws -> Ending {
        let (connection, isCancelled) = state.withLock { state in
            (state.events, state.bytes, state.isPaused) = ([], 0, false)
            return (state.connection, state.isCancelled)
        }
        if isCancelled { throw ImageLoadingError.cancelled(source: request.description) }
        let handle = transfers.open(
            request, rest: rest ?? whole, checking: nil,
            priority: DataPriority(rawValue: request.priority.rawValue) ?? .normal
        ) { self.receive($0, connection) }
        state.withLock { $0.handle = handle }
        defer {
            state.withLock { ($0.connection, $0.handle) = ($0.connection + 1, nil) }
            handle.cancel()
        }
        let start = file.count
        var response: DataResponse?
        var total: Int?
        // True if the response is the rest, and once the next bytes belong at the end of the file.
        var (isPart, isPlaced) = (false, false)
        while let events = nextEvents() {
            for event in events {
                if case .response(let received) = event {
                    (response, total) = (received, received.expectedLength)
                    switch rest == nil ? .replaces : known?.judge(received, from: start) ?? .startsAgain {
                    case .goesOn(let length): (total, isPart, isPlaced) = (length, true, true)
                    // The program's condition holds: it has the body already.
                    case .replaces where received.status == 304: return .complete(received)
                    case .replaces:
                        if let refusal = FileDownload.refusal(received, to: whole) { return .failed(refusal) }
                    case .startsAgain: return .useless
                    }
                } else if case .end(let error?) = event {
                    return .failed(error)
                }
                if !isPlaced {
                    isPlaced = true
                    known = whole.flatMap { whole in response.flatMap { ResumableBody($0, to: whole) } }
                    try file.restart(record: try known.map { try JSONEncoder().encode($0) })
                }
                if case .chunk(let data) = event { try file.append(data) }
                guard case .end = event else { continue }
                // A loader may state the length of a body that it decompresses, but not of a part.
                if let total, total > file.count || total < file.count && isPart {
                    return .failed(DataLoadingError(.truncated, "the response has \(file.count) of \(total) bytes"))
                }
                try file.finish()
                progress?(ImageTask.Progress(completed: file.count, total: file.count))
                return .complete(response)
            }
            progress?(ImageTask.Progress(completed: file.count, total: total))
        }
        throw ImageLoadingError.cancelled(source: request.description)
    }

    /// Returns the error for a successful response that does not have the requested body.
    private static func refusal(_ response: DataResponse, to whole: DataRequest?) -> DataLoadingError? {
        guard let status = response.status, status != 200, status != 203 else { return nil }
        if status == 206, whole?.headers["Range"] != nil { return nil }
        return DataLoadingError(.status(status), "the server responded with \(status), without the requested body")
    }

    // MARK: From the loader's thread to that of the download

    private func receive(_ event: DataEvent, _ connection: Int) {
        let (isFirst, isFull) = state.withLock { state in
            guard connection == state.connection else { return (false, false) }
            state.events.append(event)
            if case .chunk(let data) = event { state.bytes += data.count }
            return (state.events.count == 1, state.bytes > FileDownload.bufferedBytes)
        }
        if isFirst { parker.unpark() }
        if isFull { steer() }
    }

    /// Waits for events; returns `nil` if the download is cancelled.
    private func nextEvents() -> [DataEvent]? {
        while true {
            let (events, isCancelled) = state.withLock { state in
                defer { (state.events, state.bytes) = ([], 0) }
                return (state.events, state.isCancelled)
            }
            steer()
            if isCancelled { return nil }
            if !events.isEmpty { return events }
            _ = parker.park(until: nil)
        }
    }

    /// Pauses or resumes the transfer, as the waiting bytes require. Calls the loader without the lock.
    private func steer() {
        while true {
            let call = state.withLock { state -> (handle: any DataTransfer, pauses: Bool)? in
                let isFull = state.bytes > FileDownload.bufferedBytes
                guard !state.isCalling, state.isPaused != isFull, let handle = state.handle else { return nil }
                (state.isPaused, state.isCalling) = (isFull, true)
                return (handle, isFull)
            }
            guard let call else { return }
            if call.pauses { call.handle.pause() } else { call.handle.resume() }
            state.withLock { $0.isCalling = false }
        }
    }
}
