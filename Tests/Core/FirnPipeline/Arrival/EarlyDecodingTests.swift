import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Decoding while bytes arrive` {
    private let length = 400_000

    private func data(needed: Int? = nil) -> Data {
        ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: length, needed: needed)
    }

    @Test func `A decode starts before all bytes have arrived, and gets each of them once`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let transfer = await fixture.responded(length)
        transfer.send(data().prefix(100_000))
        await fixture.decoder.advances.wait { $0.calls == [100_000] }
        transfer.send(data()[100_000..<250_000])
        await fixture.decoder.advances.wait { $0.calls == [100_000, 250_000] }
        transfer.send(data()[250_000...])
        transfer.finish()
        let image = try await task.image
        #expect(ArrivalFixture.brightness(image) == 255)
        #expect(fixture.decoder.sessions.count == 1 && fixture.decoder.decodes.calls == [length])
        #expect(fixture.pipeline.statistics.decodes == 1 && fixture.pipeline.statistics.bytesLoaded == length)
    }

    @Test func `A body that starts again is decoded again`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let first = await fixture.responded(length)
        first.send(data().prefix(100_000))
        await fixture.decoder.advances.wait { $0.calls.count == 1 }
        task.isPaused = true
        await fixture.loader.pauses.wait { !$0.calls.isEmpty }
        first.fail(DataLoadingError(.connection, "gone"))
        task.isPaused = false
        // Without a validator, no byte of the first response can be used. The second response is another image.
        let second = await fixture.responded(length / 2, number: 2)
        second.send(ScriptedProgressiveDecoder.image(PixelSize(width: 7, height: 5), bytes: length / 2))
        second.finish()
        let image = try await task.image
        #expect(image.size == PixelSize(width: 7, height: 5))
        #expect(fixture.pipeline.statistics.bytesWasted == 100_000)
    }

    @Test func `An image that needs no more bytes ends its transfer`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let transfer = await fixture.responded(length)
        transfer.send(data(needed: 90_000).prefix(100_000))
        let image = try await task.image
        #expect(ArrivalFixture.brightness(image) == 255)
        await fixture.loader.requests.wait { $0.ended.count == 1 }
        #expect(transfer.isCancelled)
        await fixture.pipeline.flush()
        let statistics = fixture.pipeline.statistics
        #expect(statistics.bytesWasted == 0 && statistics.bytesLoaded == 100_000)
    }

    @Test func `A task for the bytes themselves keeps the transfer running`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        async let whole = fixture.pipeline.data(for: ImageRequest(url: ArrivalFixture.url))
        let transfer = await fixture.responded(length)
        while fixture.pipeline.statistics.coalesced == 0 { await Task.yield() }
        transfer.send(data(needed: 90_000).prefix(100_000))
        #expect(ArrivalFixture.brightness(try await task.image) == 255)
        #expect(!transfer.isCancelled)
        transfer.send(data(needed: 90_000)[100_000...])
        transfer.finish()
        #expect(try await whole.0 == data(needed: 90_000))
    }

    @Test func `Small bodies are decoded when they are complete`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let small = ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: 60_000)
        let transfer = await fixture.responded(small.count)
        transfer.send(small.prefix(30_000))
        transfer.send(small[30_000...])
        transfer.finish()
        _ = try await task.image
        #expect(fixture.decoder.advances.isEmpty && fixture.decoder.decodes.calls == [small.count])
    }

    @Test(arguments: [false, true])
    func `The first bytes of a short body are decoded only for a watched task`(isWatched: Bool) async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let short = ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: 120_000)
        let transfer = await fixture.responded(short.count)
        transfer.send(short.prefix(30_000))
        let previews = isWatched ? task.previews : nil
        if let previews { for await _ in previews { break } }
        transfer.send(short[30_000...])
        transfer.finish()
        _ = try await task.image
        #expect(fixture.decoder.advances.calls.first == (isWatched ? 30_000 : nil))
    }

    @Test func `Without a limit, unknown content fails at its end`() async throws {
        let fixture = ArrivalFixture { $0.unknownContentLimit = 0 }
        let task = fixture.task()
        let transfer = await fixture.responded(length)
        transfer.send(Data(repeating: 0x41, count: 200_000))
        #expect(task.state == .running)
        transfer.send(Data(repeating: 0x41, count: 200_000))
        transfer.finish()
        await #expect { try await task.image } throws: { ($0 as? ImageLoadingError)?.stage == .decoding }
    }

    @Test func `A failed transfer ends its decode`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let transfer = await fixture.responded(length)
        transfer.send(data().prefix(100_000))
        await fixture.decoder.advances.wait { $0.calls.count == 1 }
        transfer.fail(DataLoadingError(.connection, "gone"))
        await #expect { try await task.image } throws: { ($0 as? ImageLoadingError)?.stage == .loading }
        #expect(fixture.pipeline.statistics.bytesWasted == 100_000)
    }

    @Test func `Whole bytes that were decoded on the way are kept in the data cache`() async throws {
        let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        let fixture = ArrivalFixture { $0.dataCache = cache }
        let task = fixture.task()
        let transfer = await fixture.responded(length)
        transfer.send(data().prefix(200_000))
        await fixture.decoder.advances.wait { $0.calls.count == 1 }
        transfer.send(data()[200_000...])
        transfer.finish()
        _ = try await task.image
        await fixture.pipeline.flush()
        #expect(try cache.entry(for: ArrivalFixture.url)?.data == data())
        #expect(fixture.pipeline.statistics.stores == 1)
    }
}
