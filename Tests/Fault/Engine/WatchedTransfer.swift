import FirnData
import FirnHTTP
import FirnImage
import FirnTesting
import FoundationEssentials

@testable import FirnPipeline

/// A transfer of the engine over a real loader, with waits for its reports.
struct WatchedTransfer {
    let work: JobWork
    let transfer: BodyTransfer
    private let observer: Observer
    private let loader: DataLoader

    private final class Observer: TransferObserver {
        func transferSpilled(_ part: PartialPart, of request: ImageRequest) {}

        let told: AsyncStream<Int>
        private let line: AsyncStream<Int>.Continuation

        init() { (told, line) = AsyncStream.makeStream(of: Int.self) }

        func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?) { line.yield(completed) }
        func transferAnswered(_ ticket: JobTicket) {}
        func transferArrived(_ ticket: JobTicket, completed: Int, total: Int?) { line.yield(completed) }
        func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?) { line.yield(completed) }
        func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64 { .max }
        func transferEnded(_ ticket: JobTicket, _ work: JobWork, _ outcome: StageOutcome) { line.finish() }
    }

    init(_ url: String, _ loader: DataLoader) throws {
        self.loader = loader
        work = JobWork(fetching: ImageRequest(url: url))
        guard case .fetch(let transfer) = work.kind else { throw DataLoadingError(.other, "not a transfer") }
        self.transfer = transfer
        observer = Observer()
    }

    func begin() {
        let environment = StageEnvironment(ImagePipeline.Configuration(dataLoader: loader, decoders: []))
        _ = transfer.watch()
        _ = TransferStage(environment: environment).run(work, .none, level: 2, observer: observer)
    }

    /// Waits until `count` bytes are there, or the transfer is over.
    func wait(for count: Int) async {
        for await completed in observer.told where completed >= count { return }
    }

    /// Waits for the end; returns the bytes if it succeeded.
    func end() async -> Data? {
        for await _ in observer.told {}
        return if case .bytes(let bytes) = work.product { bytes.joined() } else { nil }
    }
}
