import FirnData
import FirnSync
import FoundationEssentials
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct `What a transfer took` {
    /// A loader that measures, and sends the events that the test passes.
    private final class MeasuringLoader: DataLoading {
        struct Connection: DataTransfer {
            let metrics: TransferMetrics?
            func cancel() {}
            func pause() {}
            func resume() {}
        }

        private let receivers = Locked<[@Sendable (DataEvent) -> Void]>([])
        /// The total time of each connection.
        let total: Duration

        init(total: Duration = .zero) { self.total = total }

        func startLoading(
            _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
        ) -> any DataTransfer {
            receivers.withLock { $0.append(receive) }
            var metrics = TransferMetrics()
            metrics.attempts = 1
            metrics.bytesReceived = 30
            metrics.total = total
            return Connection(metrics: metrics)
        }

        func say(_ event: DataEvent) { receivers.withLock { $0.last }?(event) }
    }

    @Test func `It is known of one that failed, too`() throws {
        let rig = try TransferRig()
        let loader = MeasuringLoader()
        #expect(rig.begin(loader: loader) == "pending" && rig.transfer.measured == nil)
        loader.say(.response(TransferRig.response(100)))
        loader.say(.chunk(TransferRig.bytes(0..<30)))
        loader.say(.end(DataLoadingError(.status(404), "")))
        #expect(rig.observer.told.last == "ended source")
        #expect(rig.transfer.measured?.metrics.attempts == 1 && rig.transfer.measured?.metrics.bytesReceived == 30)
    }

    @Test func `Silent connections are tried again until they have taken 45 seconds together`() throws {
        let rig = try TransferRig()
        let loader = MeasuringLoader(total: .seconds(30))
        var policy = DataRetryPolicy()
        policy.jitter = 0
        #expect(rig.begin(loader: loader, retries: policy) == "pending")
        loader.say(.end(DataLoadingError(.timeout, "")))
        #expect(rig.observer.told == ["waits 0.5 seconds"])
        rig.transfer.resume(number: 2)
        loader.say(.end(DataLoadingError(.timeout, "")))
        #expect(rig.observer.told == ["waits 0.5 seconds", "ended source"], "60 seconds")
    }

    @Test func `It is with the response of one that went well`() throws {
        let rig = try TransferRig()
        let loader = MeasuringLoader()
        #expect(rig.begin(loader: loader) == "pending")
        loader.say(.response(TransferRig.response(30)))
        loader.say(.chunk(TransferRig.bytes(0..<30)))
        loader.say(.end(nil))
        guard case .done(.bytes(let bytes)?)? = rig.observer.outcome.withLock({ $0 }) else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes.response?.metrics?.bytesReceived == 30)
        #expect(bytes.response?.metrics == rig.transfer.measured?.metrics)
    }
}
