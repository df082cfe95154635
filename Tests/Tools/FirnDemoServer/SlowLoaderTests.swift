import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Testing

@testable import FirnDemoServer

@Suite(.timeLimit(.minutes(5))) struct SlowLoaderTests {
    /// A loader that has its complete response at once.
    private struct Source: DataLoading {
        let body: Data
        /// The orders that its transfers received.
        let orders = Orders()

        final class Orders: Sendable {
            let list = Locked<[String]>([])
            func add(_ order: String) { list.withLock { $0.append(order) } }
        }

        struct Transfer: DataTransfer {
            let orders: Orders
            func cancel() { orders.add("cancel") }
            func pause() { orders.add("pause") }
            func resume() { orders.add("resume") }
        }

        func startLoading(
            _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
        ) -> any DataTransfer {
            receive(.response(DataResponse(url: request.url, status: 200)))
            receive(.chunk(body))
            receive(.end(nil))
            return Transfer(orders: orders)
        }
    }

    /// Loads an address; returns the events as a stream, and the transfer.
    private static func load(_ loader: SlowLoader) -> (events: AsyncStream<DataEvent>, transfer: any DataTransfer) {
        let (events, feed) = AsyncStream.makeStream(of: DataEvent.self)
        let transfer = loader.startLoading(DataRequest(url: "http://a/1")) { event in
            feed.yield(event)
            if case .end = event { feed.finish() }
        }
        return (events, transfer)
    }

    private static func body(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }) }

    @Test func `Bytes come in order and not before the line lets them through`() async {
        let body = SlowLoaderTests.body(100_000)
        // 100 kB at 8 Mbit/s take 100 ms.
        let loader = SlowLoader(
            Source(body: body), LineCondition("test", latency: .milliseconds(20), bitsPerSecond: 8_000_000))
        let start = ContinuousClock.now
        var received = Data()
        var words: [String] = []
        for await event in SlowLoaderTests.load(loader).events {
            switch event {
            case .response:
                words.append("response")
                #expect(start.duration(to: .now) >= .milliseconds(20))
            case .chunk(let data): received += data
            case .end(let error): words.append(error.map { "\($0)" } ?? "end")
            }
        }
        #expect(words == ["response", "end"])
        #expect(received == body)
        #expect(start.duration(to: .now) >= .milliseconds(100))
    }

    @Test func `A cancelled transfer ends once, as cancelled`() async {
        let loader = SlowLoader(
            Source(body: SlowLoaderTests.body(1_000)),
            LineCondition("test", latency: .seconds(30), bitsPerSecond: 1_000))
        let (events, transfer) = SlowLoaderTests.load(loader)
        transfer.cancel()
        transfer.cancel()
        var ends: [DataLoadingError.Cause?] = []
        for await event in events { if case .end(let error) = event { ends.append(error?.cause) } }
        #expect(ends == [.cancelled])
    }

    @Test func `A body that comes faster than the line is held back`() async {
        let source = Source(body: SlowLoaderTests.body(2 << 20))
        let loader = SlowLoader(source, LineCondition("test", latency: .zero, bitsPerSecond: 400_000_000))
        var count = 0
        for await event in SlowLoaderTests.load(loader).events {
            if case .chunk(let data) = event { count += data.count }
        }
        #expect(count == 2 << 20)
        let orders = source.orders.list.withLock { $0 }
        #expect(orders.first == "pause")
        #expect(orders.last == "resume")
    }

    @Test func `At full speed the loader behind is asked directly`() {
        let source = Source(body: SlowLoaderTests.body(10))
        let loader = SlowLoader(source)
        let ended = Locked(false)
        _ = loader.startLoading(DataRequest(url: "http://a/1")) { if case .end = $0 { ended.withLock { $0 = true } } }
        // The source responds within the call.
        #expect(ended.withLock { $0 })
    }

    @Test func `Transfers share the line evenly and in the order of their bytes`() {
        var line = SharedLine(LineCondition("test", latency: .zero, bitsPerSecond: 8_000))
        #expect(line.send(100, at: .zero) == .milliseconds(100))
        #expect(line.send(100, at: .milliseconds(50)) == .milliseconds(200))
        #expect(line.send(100, at: .seconds(1)) == .milliseconds(1_100))
        var open = SharedLine(.full)
        #expect(open.send(1 << 30, at: .seconds(2)) == .seconds(2))
    }

    @Test func `A drawn image is the same each time, and others are others`() throws {
        let size = PixelSize(width: 60, height: 40)
        let first = try Landscape(seed: 1, size: size).draw(label: "1")
        let again = try Landscape(seed: 1, size: size).draw(label: "1")
        let other = try Landscape(seed: 2, size: size).draw(label: "1")
        func bytes(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }
        #expect(bytes(first) == bytes(again))
        #expect(bytes(first) != bytes(other))
    }
}
