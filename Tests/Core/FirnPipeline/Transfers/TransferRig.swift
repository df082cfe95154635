import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials

@testable import FirnPipeline

/// A transfer with a scripted loader, and the reports to its observer. Everything runs on the test's own thread.
struct TransferRig {
    static let url = "http://a/x"
    let loader = ScriptedLoader()
    let observer = Observer()
    let job: EngineJob
    let transfer: BodyTransfer

    final class Observer: TransferObserver {
        func transferSpilled(_ part: PartialPart, of job: EngineJob) {}
        func transferIsUnknown(_ ticket: JobTicket, _ job: EngineJob, head: Data, _ response: DataResponse?) -> Bool {
            false
        }
        func transferHasViewers(_ ticket: JobTicket) -> Bool { false }

        private let lines = Locked<[String]>([])
        var told: [String] { lines.withLock { $0 } }
        private func note(_ line: String) { lines.withLock { $0.append(line) } }

        func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?) {
            note("began \(completed)/\(total.map { "\($0)" } ?? "?")")
        }
        func transferResponded(_ ticket: JobTicket, _ job: EngineJob) { note("responded") }
        func transferSelects(_ ticket: JobTicket, _ job: EngineJob, _ response: DataResponse) { note("selects") }
        func transferArrived(_ ticket: JobTicket, _ job: EngineJob, completed: Int, total: Int?) {
            note("arrived \(completed)/\(total.map { "\($0)" } ?? "?")")
        }
        func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?) { note("progress \(completed)") }
        func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64 {
            note("waits \(time)")
            return 1
        }
        func transferEnded(_ ticket: JobTicket, _ job: EngineJob, _ outcome: StageOutcome) {
            self.outcome.withLock { $0 = outcome }
            note("ended \(TransferRig.name(outcome))")
        }

        /// The outcome of the transfer.
        let outcome = Locked<StageOutcome?>(nil)
    }

    init(options: ImageRequest.Options = []) throws {
        let url = TransferRig.url
        loader.respondByHand(to: url)
        job = EngineJob(fetching: ImageRequest(url: url, options: options))
        guard let transfer = job.transfer else { throw DataLoadingError(.other, "not a transfer") }
        self.transfer = transfer
    }

    static func name(_ outcome: StageOutcome) -> String {
        switch outcome {
        case .done: "finished"
        case .failed(let error): "\(error.fault)"
        case .pending: "pending"
        default: "?"
        }
    }

    func begin(
        level: Int = 2, limit: Int = 10 << 20, loader: (any DataLoading)? = nil, partialBodies: PartialBodyStore? = nil,
        retries: DataRetryPolicy = .none
    ) -> String {
        var configuration = ImagePipeline.Configuration(dataLoader: loader ?? self.loader, decoders: [])
        configuration.retries = retries
        configuration.limits.maximumBytes = limit
        let emitter = EventEmitter([])
        let caches = PipelineCaches(configuration, nil, emitter)
        let stage = TransferStage(
            configuration, caches, TransferOpener(configuration, nil, caches),
            DecoderChoice(configuration, nil, emitter), nil, partialBodies: partialBodies)
        let started = StartedJob(ticket: .none, job: job, stage: .transfer, level: level)
        let outcome = stage.run(started, observer: observer)
        if case .pending = outcome {} else { observer.outcome.withLock { $0 = outcome } }
        return TransferRig.name(outcome)
    }

    /// Returns the connection with this number, from 1.
    func connection(_ number: Int) -> ScriptedTransfer { loader.transfers(TransferRig.url)[number - 1] }

    var connections: Int { loader.transfers(TransferRig.url).count }

    static func bytes(_ range: Range<Int>) -> Data { Data(range.map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

    static func response(
        _ length: Int?, status: Int = 200, tag: String? = "\"v\"", range: String? = nil
    ) -> DataResponse {
        var headers = HTTPHeaderFields()
        headers["ETag"] = tag
        headers["Content-Range"] = range
        return DataResponse(url: url, status: status, headers: headers, expectedLength: length)
    }

    /// The error that the transfer ended with; `nil` if it has none.
    var error: ImageLoadingError? {
        if case .failed(let error)? = observer.outcome.withLock({ $0 }) { error } else { nil }
    }

    /// The bytes that the transfer ended with; `nil` if it has none.
    var product: Data? {
        if case .done(.bytes(let bytes)?)? = observer.outcome.withLock({ $0 }) { bytes.joined() } else { nil }
    }
}

/// A loader that sends the first events of a transfer before it returns, and no more.
struct HastyLoader: DataLoading {
    let events: [DataEvent]

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        for event in events { receive(event) }
        return DeafTransfer()
    }
}
