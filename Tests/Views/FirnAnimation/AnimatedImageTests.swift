import FirnImage
import FirnProcessing
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnAnimation
@testable import FirnPipeline

@Suite struct AnimatedImageTests {
    private let clock = ManualClock()
    private let workers = ManualWorkers()
    private let scripted = ScriptedAnimationDecoder()

    private func animation(_ count: Int = 30, _ duration: Int = 100, loopCount: Int? = 0) -> ScriptedAnimation {
        ScriptedAnimation(
            size: PixelSize(width: 8, height: 4), durations: Array(repeating: duration, count: count),
            loopCount: loopCount)
    }

    private func decoder(_ data: Data?) throws -> ImageDecoder {
        let decoder = ImageDecoder(decoders: [scripted])
        if let data { try decoder.setData(data, allDataReceived: true) }
        return decoder
    }

    private func animated(_ decoder: ImageDecoder, _ options: DecodingOptions = DecodingOptions()) -> AnimatedImage {
        let clock = clock
        let workers = workers
        return AnimatedImage(
            decoder: decoder, options: options, now: { clock.elapsed },
            run: { workers.add($0) })
    }

    private func shown(_ viewer: AnimationViewer) -> Int? {
        viewer.frame().map { bitmap in bitmap.withUnsafeBytes { Int($0[0]) - 1 } }
    }

    @Test func `nothing is decoded without a viewer, and asking for a frame does not wait`() throws {
        let image = animated(try decoder(animation().data))
        #expect(workers.count == 0)
        let viewer = image.makeViewer()
        #expect(workers.count == 1)
        #expect(viewer.frame() == nil && viewer.nextChange == nil)
        #expect(scripted.frames.isEmpty)
        workers.drain()
        #expect(shown(viewer) == 0)
        #expect(scripted.frames.calls == Array(0..<8))
        #expect(viewer.nextChange == .milliseconds(100))
    }

    @Test func `processors run on every frame, and only their results are kept`() throws {
        let clock = clock
        let workers = workers
        let image = AnimatedImage(
            decoder: try decoder(animation(5).data), options: DecodingOptions(),
            processors: [ImageProcessors.Rotate(.right), ImageProcessors.Pad(right: 3)],
            now: { clock.elapsed }, run: { workers.add($0) })
        let viewer = image.makeViewer()
        workers.drain()
        for step in 0..<7 {
            let frame = try #require(viewer.frame())
            #expect(frame.size == PixelSize(width: 7, height: 8))
            #expect(shown(viewer) == step % 5)
            workers.drain()
            #expect(image.residentBytes == image.residentFrames * frame.cost)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func `a frame on which a processor fails counts as damaged`() throws {
        let clock = clock
        let workers = workers
        let image = AnimatedImage(
            decoder: try decoder(animation(3).data), options: DecodingOptions(),
            processors: [ImageProcessors.GaussianBlur(radius: .nan)],
            now: { clock.elapsed }, run: { workers.add($0) })
        let viewer = image.makeViewer()
        workers.drain()
        #expect(viewer.frame() == nil && image.residentFrames == 0)
    }

    @Test func `an animation plays by its clock, decodes each frame once and keeps eight`() throws {
        let image = animated(try decoder(animation(20, loopCount: 2).data))
        let viewer = image.makeViewer()
        workers.drain()
        for step in 0..<40 {
            #expect(shown(viewer) == step % 20)
            workers.drain()
            #expect(image.residentFrames <= 8)
            #expect(image.residentBytes <= 8 * 64 * 4)
            clock.advance(by: .milliseconds(100))
        }
        #expect(shown(viewer) == 19 && viewer.isFinished && viewer.nextChange == nil)
        #expect(image.decodedFrames == 40)
        workers.drain()
        #expect(image.residentFrames == 1)
    }

    @Test func `a job decodes one frame, so that animations take turns`() throws {
        let first = animated(try decoder(animation().data))
        let second = animated(try decoder(animation(30, 1000).data))
        let viewers = [first.makeViewer(), second.makeViewer()]
        for turn in 1...2 {
            for image in [first, second] {
                #expect(workers.count == 2)
                #expect(image.decodedFrames == turn - 1)
                workers.step()
                #expect(image.decodedFrames == turn)
            }
        }
        _ = viewers
    }

    @Test func `complete frames are shown while others still arrive`() throws {
        let decoder = try decoder(nil)
        let image = animated(decoder)
        let notices = Locked(0)
        let viewer = image.makeViewer { notices.withLock { $0 += 1 } }
        workers.drain()
        #expect(viewer.frame() == nil)
        for (index, piece) in animation(5).pieces.dropLast().enumerated() {
            // A part of the next frame's line makes that frame known, but not complete.
            try decoder.append(piece.prefix(7))
            image.dataDidArrive()
            workers.drain()
            #expect(shown(viewer) == (index < 2 ? nil : index - 2))
            try decoder.append(piece.dropFirst(7))
            image.dataDidArrive()
            workers.drain()
            clock.advance(by: .milliseconds(150))
            #expect(shown(viewer) == (index == 0 ? nil : index - 1))
        }
        #expect(shown(viewer) == 4 && viewer.nextChange == nil && !viewer.isFinished)
        decoder.finish()
        image.dataDidArrive()
        workers.drain()
        clock.advance(by: .milliseconds(1))
        #expect(shown(viewer) == 0)
        #expect(notices.withLock { $0 } > 0)
    }

    @Test func `an incomplete last frame is left out`() throws {
        let data = animation(3).data
        let image = animated(try decoder(data.prefix(data.count - 6)))
        let viewer = image.makeViewer()
        workers.drain()
        var seen: [Int?] = []
        for _ in 0..<5 {
            seen.append(shown(viewer))
            workers.drain()
            clock.advance(by: .milliseconds(100))
        }
        #expect(seen == [0, 1, 0, 1, 0])
    }

    @Test func `frames have exactly the target's size`() throws {
        var options = DecodingOptions()
        options.targetSize = TargetSize(3)
        let image = animated(try decoder(animation().data), options)
        let viewer = image.makeViewer()
        workers.drain()
        #expect(viewer.frame()?.size == PixelSize(width: 3, height: 2))
    }

    @Test func `detaching the last viewer cancels its decode`() throws {
        let image = animated(try decoder(animation().data))
        var viewer: AnimationViewer? = image.makeViewer()
        workers.step()
        #expect(image.residentFrames == 1)
        viewer?.detach()
        #expect(viewer?.frame() == nil)
        viewer = nil
        workers.drain()
        #expect(image.residentFrames == 0 && image.decodedFrames == 1)
        let again = image.makeViewer()
        workers.drain()
        #expect(shown(again) == 0)
    }

    @Test func `a decode that was cancelled with the last viewer runs again for the next viewer`() async throws {
        let decoder = try decoder(animation().data)
        let image = AnimatedImage(decoder: decoder, clock: clock)
        scripted.hold()
        let viewer = image.makeViewer()
        await scripted.frames.wait { $0.active == 1 }
        viewer.detach()
        await scripted.frames.wait { $0.cancelled.count == 1 }
        scripted.release()
        let ready = Watcher()
        let next = image.makeViewer { ready.notice() }
        await ready.wait()
        #expect(shown(next) == 0)
    }

    @Test func `a viewer is notified once of a frame that it was missing`() throws {
        let image = animated(try decoder(animation().data))
        let notices = Locked(0)
        let viewer = image.makeViewer { notices.withLock { $0 += 1 } }
        workers.drain()
        #expect(notices.withLock { $0 } == 1)
        #expect(shown(viewer) == 0)
        workers.drain()
        #expect(notices.withLock { $0 } == 1)
    }

    @Test func `an animation of one frame shows that frame`() throws {
        let still = ScriptedDecoder()
        let decoder = ImageDecoder(decoders: [still])
        try decoder.setData(ScriptedDecoder.image(PixelSize(width: 4, height: 4)), allDataReceived: true)
        let image = animated(decoder)
        let viewer = image.makeViewer()
        workers.drain()
        #expect(viewer.frame()?.size == PixelSize(width: 4, height: 4))
        clock.advance(by: .seconds(1))
        _ = viewer.frame()
        #expect(viewer.isFinished && image.decodedFrames == 1)
    }

    @Test func `data that is not an image shows nothing and ends`() throws {
        let decoder = ImageDecoder(decoders: [scripted])
        try decoder.setData(Data("nothing".utf8), allDataReceived: true)
        let viewer = animated(decoder).makeViewer()
        workers.drain()
        #expect(viewer.frame() == nil && workers.count == 0)
    }

    @Test func `many threads may use the viewers of one animation`() async throws {
        let decoder = try decoder(animation(40, 11).data)
        let image = AnimatedImage(decoder: decoder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let ready = Watcher()
                    let viewer = image.makeViewer { ready.notice() }
                    await ready.wait()
                    for _ in 0..<200 {
                        _ = viewer.frame()
                        _ = viewer.nextChange
                        await Task.yield()
                    }
                    #expect(viewer.frame() != nil)
                }
            }
            try await group.waitForAll()
        }
        // A decode that was running when the last viewer left may still be ending.
        #expect(image.residentFrames <= 1)
    }
}

/// Waits for a notification.
private final class Watcher: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func notice() { continuation.yield() }
    func wait() async { for await _ in stream { return } }
}
