import FirnData
import FirnHTTP
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials

@testable import FirnPipeline

/// A transfer of the engine over a real loader, with waits for its reports.
struct WatchedTransfer {
    let job: EngineJob
    let transfer: BodyTransfer
    private let observer: Observer
    private let loader: DataLoader

    private final class Observer: TransferObserver {
        func transferSpilled(_ part: PartialPart, of job: EngineJob) {}
        func transferIsUnknown(_ ticket: JobTicket, _ job: EngineJob, head: Data, _ response: DataResponse?) -> Bool {
            false
        }
        func transferHasViewers(_ ticket: JobTicket) -> Bool { false }

        let told: AsyncStream<Int>
        private let line: AsyncStream<Int>.Continuation

        init() { (told, line) = AsyncStream.makeStream(of: Int.self) }

        func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?) { line.yield(completed) }
        func transferResponded(_ ticket: JobTicket, _ job: EngineJob) {}
        func transferSelects(_ ticket: JobTicket, _ job: EngineJob, _ response: DataResponse) {}
        func transferArrived(_ ticket: JobTicket, _ job: EngineJob, completed: Int, total: Int?) {
            line.yield(completed)
        }
        func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?) { line.yield(completed) }
        func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64 { .max }
        func transferEnded(_ ticket: JobTicket, _ job: EngineJob, _ outcome: StageOutcome) {
            bytes.withLock { if case .done(.bytes(let received)?) = outcome { $0 = received } }
            line.finish()
        }

        let bytes = Locked<FetchedBytes?>(nil)
    }

    init(_ url: String, _ loader: DataLoader) throws {
        self.loader = loader
        job = EngineJob(fetching: ImageRequest(url: url))
        guard let transfer = job.transfer else { throw DataLoadingError(.other, "not a transfer") }
        self.transfer = transfer
        observer = Observer()
    }

    func begin() {
        let engine = Engine(ImagePipeline.Configuration(dataLoader: loader, decoders: []))
        _ = transfer.watch()
        let stage = engine.transfers
        _ = stage.run(StartedJob(ticket: .none, job: job, stage: .transfer), observer: observer)
    }

    /// Waits until `count` bytes are there, or the transfer is over.
    func wait(for count: Int) async {
        for await completed in observer.told where completed >= count { return }
    }

    /// Waits for the end; returns the bytes if it succeeded.
    func end() async -> Data? {
        for await _ in observer.told {}
        return observer.bytes.withLock { $0 }?.joined()
    }
}
