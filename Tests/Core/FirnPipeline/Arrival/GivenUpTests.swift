import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Images that are given up and asked for again` {
    private let length = 400_000
    private let half = 200_000

    private var data: Data { ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: length) }

    /// Starts a task and cancels it half way.
    private func giveUp(_ fixture: ArrivalFixture) async -> ScriptedTransfer {
        let task = fixture.task()
        let transfer = await fixture.responded(length, tag: "\"v\"")
        transfer.send(data.prefix(half))
        await fixture.decoder.advances.wait { $0.calls == [half] }
        task.cancel()
        return transfer
    }

    private func sendRest(_ transfer: ScriptedTransfer) {
        var headers = HTTPHeaderFields()
        headers["ETag"] = "\"v\""
        headers["Content-Range"] = "bytes \(half)-\(length - 1)/\(length)"
        transfer.respond(
            DataResponse(url: ArrivalFixture.url, status: 206, headers: headers, expectedLength: length - half))
        transfer.send(data[half...])
        transfer.finish()
    }

    @Test func `No byte is fetched twice, and decoding goes on before the source responds`() async throws {
        let fixture = ArrivalFixture()
        let first = await giveUp(fixture)
        let task = fixture.task()
        let second = await fixture.loader.waitForRequest(ArrivalFixture.url, number: 2)
        #expect(first.isCancelled && second.request.headers["Range"] == "bytes=\(half)-")
        #expect(second.request.headers["If-Range"] == "\"v\"")
        // The kept bytes are decoded in a new session.
        await fixture.decoder.advances.wait { $0.calls == [half, half] }
        sendRest(second)
        #expect(ArrivalFixture.brightness(try await task.image) == 255)
        #expect(fixture.decoder.sessions.count == 2 && fixture.decoder.decodes.calls == [length])
        await fixture.loader.requests.wait { $0.ended.count == 2 }
        let statistics = fixture.pipeline.statistics
        #expect(statistics.bytesWasted == 0 && statistics.bytesLoaded == length)
        #expect(statistics.bytesResumed == half)
    }

    @Test func `Progress begins with what is kept`() async throws {
        let fixture = ArrivalFixture()
        _ = await giveUp(fixture)
        let task = fixture.task()
        let second = await fixture.loader.waitForRequest(ArrivalFixture.url, number: 2)
        var seen: [Int] = []
        for await progress in task.progress {
            seen.append(progress.completed)
            #expect(progress.total == length)
            if progress.completed == half { sendRest(second) }
            if progress.completed == length { break }
        }
        #expect(seen == [half, length])
        _ = try await task.image
    }

    @Test(arguments: [true, false]) func `Clearing the caches drops kept bodies`(isOne: Bool) async throws {
        let fixture = ArrivalFixture {
            $0.dataCache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
            // Otherwise the transfer runs to its end, into the data cache.
            $0.scheduling.finishesNearlyDoneTransfers = false
        }
        _ = await giveUp(fixture)
        if isOne {
            fixture.pipeline.cache.removeCachedData(for: ImageRequest(url: ArrivalFixture.url))
        } else {
            fixture.pipeline.cache.removeAll()
        }
        #expect(fixture.pipeline.statistics.bytesWasted == half)
        let task = fixture.task()
        let second = await fixture.loader.waitForRequest(ArrivalFixture.url, number: 2)
        #expect(second.request.headers["Range"] == nil)
        task.cancel()
    }

    @Test func `Nothing is kept while memory is short, or with a limit of zero`() async throws {
        let budget = MemoryBudget(total: 64 << 20)
        let short = ArrivalFixture { $0.memoryBudget = budget }
        _ = await giveUp(short)
        budget.share = 0.2
        #expect(short.pipeline.statistics.bytesWasted == half)

        let none = ArrivalFixture { $0.scheduling.partialBodyLimit = 0 }
        _ = await giveUp(none)
        #expect(none.pipeline.statistics.bytesWasted == half)

        let later = ArrivalFixture()
        _ = await giveUp(later)
        later.pipeline.scheduling.partialBytesLimit = 100_000
        #expect(later.pipeline.statistics.bytesWasted == half)
    }
}
