import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Previews` {
    private let length = 400_000
    private var data: Data { ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: length) }

    @Test func `A subscriber receives previews, and the image last`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let events = task.events
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(100_000))
        var seen: [UInt8] = []
        for await event in events {
            switch event {
            case .progress: break
            case .preview(let preview):
                #expect(preview.isPreview)
                seen.append(ArrivalFixture.brightness(preview.image))
                transfer.send(data[100_000...])
                transfer.finish()
            case .finished(let result): seen.append(ArrivalFixture.brightness(try result.get().image))
            }
        }
        #expect(seen == [63, 255])
        #expect(fixture.pipeline.statistics.previews == 1)
    }

    /// Delivers the body in two halves; the second one once the first is decoded.
    private func arrive(in fixture: ArrivalFixture) async {
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(200_000))
        await fixture.decoder.advances.wait { $0.calls.count == 1 }
        transfer.send(data[200_000...])
        transfer.finish()
    }

    /// Delivers the body in two parts; the second one after the first preview.
    private func arrive(in fixture: ArrivalFixture, pausingFor previews: AsyncStream<ImageResponse>) async {
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(100_000))
        for await _ in previews { break }
        transfer.send(data[100_000...])
        transfer.finish()
    }

    @Test func `No preview is made if the rest arrives within the threshold`() async throws {
        let fixture = ArrivalFixture { $0.scheduling.previewTimeThreshold = .seconds(3600) }
        let task = fixture.task()
        let previews = task.previews
        await arrive(in: fixture)
        for await _ in previews { Issue.record("a preview") }
        #expect(fixture.decoder.previews.isEmpty)
        _ = try await task.image
    }

    @Test(arguments: [(400_000, 200_000), (30_000, 20_000)])
    func `A preview is made if the source stalls, also for a small file`(length: Int, part: Int) async throws {
        let fixture = ArrivalFixture { $0.scheduling.previewTimeThreshold = .milliseconds(20) }
        let task = fixture.task()
        let previews = task.previews
        let data = ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: length)
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(part))
        for await preview in previews {
            #expect(preview.isPreview)
            break
        }
        transfer.send(data[part...])
        transfer.finish()
        _ = try await task.image
    }

    @Test func `Bytes that come while a preview is made, or is not taken, have one too`() async throws {
        for _ in 0..<20 {
            let fixture = ArrivalFixture()
            let task = fixture.task()
            var previews = task.previews.makeAsyncIterator()
            let transfer = await fixture.responded(length)
            transfer.send(data.prefix(100_000))
            await fixture.decoder.previews.wait { !$0.calls.isEmpty }
            // Nothing follows until their preview is there.
            transfer.send(data[100_000..<200_000])
            var latest: UInt8 = 0
            while latest < 127, let preview = await previews.next() {
                latest = ArrivalFixture.brightness(preview.image)
            }
            #expect(latest == 127)
            transfer.send(data[200_000...])
            transfer.finish()
            _ = try await task.image
        }
    }

    @Test func `A lower byte threshold allows an earlier preview`() async throws {
        let fixture = ArrivalFixture { $0.scheduling.previewByteThreshold = 1000 }
        let task = fixture.task()
        let previews = task.previews
        let small = ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: 60_000)
        let transfer = await fixture.responded(small.count)
        transfer.send(small.prefix(30_000))
        for await _ in previews { break }
        transfer.send(small[30_000...])
        transfer.finish()
        _ = try await task.image
        #expect(fixture.decoder.previews.calls == [30_000])
    }

    /// Works on its first image until it is stopped.
    private struct EndlessOnce: ImageProcessing {
        let identifier = "endless"
        let runs = Counter()
        let begun: AsyncStream<Void>.Continuation
        let stopped: AsyncStream<Void>.Continuation

        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            runs.add()
            guard runs.count == 1 else { return container }
            begun.finish()
            while !context.cancellation.isCancelled { sched_yield() }
            stopped.finish()
            throw CancellationError()
        }
    }

    @Test func `Work on a preview is cancelled once all bytes have arrived`() async throws {
        let fixture = ArrivalFixture()
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let (stopped, stops) = AsyncStream<Void>.makeStream()
        let endless = EndlessOnce(begun: begins, stopped: stops)
        let task = fixture.task { $0.processors = [endless] }
        let previews = task.previews
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(100_000))
        for await _ in begun {}
        transfer.send(data[100_000...])
        transfer.finish()
        for await _ in stopped {}
        #expect(ArrivalFixture.brightness(try await task.image) == 255)
        for await _ in previews { Issue.record("a preview") }
        #expect(fixture.pipeline.statistics.previews == 0)
    }

    @Test func `No preview is made without a subscriber`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        await arrive(in: fixture)
        _ = try await task.image
        #expect(fixture.decoder.previews.isEmpty && fixture.pipeline.statistics.previews == 0)
    }

    @Test func `Previews can be switched off`() async throws {
        let fixture = ArrivalFixture { $0.isProgressiveDecodingEnabled = false }
        let task = fixture.task()
        let previews = task.previews
        await arrive(in: fixture)
        for await _ in previews { Issue.record("a preview") }
        #expect(fixture.decoder.previews.isEmpty)
    }

    @Test func `A late subscriber receives the latest preview at once`() async throws {
        let fixture = ArrivalFixture()
        let first = fixture.task()
        let events = first.previews
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(100_000))
        for await _ in events { break }
        let second = fixture.task()
        for await preview in second.previews {
            #expect(ArrivalFixture.brightness(preview.image) == 63)
            break
        }
        #expect(fixture.decoder.previews.calls == [100_000])
        second.cancel()
        transfer.send(data[100_000...])
        transfer.finish()
        _ = try await first.image
    }

    @Test func `A subscriber that comes while a preview is passed receives that preview`() async throws {
        let delegate = PreviewDelegate()
        let fixture = ArrivalFixture(delegate: delegate)
        let late = fixture.task()
        let (streams, arrived) = AsyncStream<AsyncStream<ImageResponse>>.makeStream()
        delegate.onFirstPreview { arrived.yield(late.previews) }
        let first = fixture.task()
        let previews = first.previews
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(100_000))
        for await _ in previews { break }
        for await stream in streams {
            for await preview in stream {
                #expect(ArrivalFixture.brightness(preview.image) == 63)
                break
            }
            break
        }
        #expect(fixture.decoder.previews.calls == [100_000])
        transfer.send(data[100_000...])
        transfer.finish()
        for task in [first, late] { _ = try await task.image }
    }

    @Test func `Each task gets the preview with its own processors, and equal ones run once`() async throws {
        let fixture = ArrivalFixture()
        let (gray, round) = (Counter(), Counter())
        let both: [any ImageProcessing] = [
            CountingProcessor(identifier: "gray", counter: gray),
            CountingProcessor(identifier: "round", counter: round),
        ]
        let tasks = [both, Array(both.prefix(1)), both].map { processors in
            fixture.task { $0.processors = processors }
        }
        let previews = tasks.map(\.previews)
        let transfer = await fixture.responded(length)
        transfer.send(data.prefix(100_000))
        for stream in previews { for await _ in stream { break } }
        #expect(gray.count == 1 && round.count == 1)
        #expect(fixture.pipeline.statistics.previews == 3)
        transfer.send(data[100_000...])
        transfer.finish()
        for task in tasks { #expect(try await task.response.isPreview == false) }
    }

    @Test func `A processor that fails costs only its own preview`() async throws {
        let fixture = ArrivalFixture()
        let failing = CountingProcessor(
            identifier: "bad", counter: Counter(), failure: ImageError(.data, at: .decoding, "never works"))
        let bad = fixture.task { $0.processors = [failing] }
        let good = fixture.task()
        let (none, some) = (bad.previews, good.previews)
        await arrive(in: fixture, pausingFor: some)
        _ = try await good.image
        for await _ in none { Issue.record("a preview") }
        await #expect(throws: ImageLoadingError.self) { try await bad.image }
    }

    @Test func `Previews enter no cache (F12)`() async throws {
        let cache = RememberingCache()
        let fixture = ArrivalFixture { $0.imageCache = cache }
        let task = fixture.task()
        await arrive(in: fixture, pausingFor: task.previews)
        _ = try await task.image
        #expect(cache.stored.map(\.isPreview) == [false])
    }
}

/// Calls a function once, while the first preview is passed to its task.
private final class PreviewDelegate: ImagePipeline.Delegate {
    private let call = Locked<(@Sendable () -> Void)?>(nil)

    func onFirstPreview(_ call: @escaping @Sendable () -> Void) { self.call.withLock { $0 = call } }

    func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
        guard case .preview = event else { return }
        let call = call.withLock { call in
            defer { call = nil }
            return call
        }
        call?()
    }
}
