import FirnImage
import FirnSync
import FirnTesting
import TestSupport
import Testing

@testable import FirnAnimation
@testable import FirnPipeline

/// Tests animations that share a memory budget. A frame has 4 rows of 64 bytes.
@Suite struct AnimationMemoryTests {
    private static let frame = 256
    private let clock = ManualClock()
    private let workers = ManualWorkers()

    private func animated(_ budget: MemoryBudget) throws -> AnimatedImage {
        let animation = ScriptedAnimation(
            size: PixelSize(width: 8, height: 4), durations: Array(repeating: 100, count: 30))
        let decoder = ImageDecoder(decoders: [ScriptedAnimationDecoder()])
        try decoder.setData(animation.data, allDataReceived: true)
        let (clock, workers) = (clock, workers)
        return AnimatedImage(
            decoder: decoder, options: DecodingOptions(), memory: budget,
            now: { clock.elapsed }, run: { workers.add($0) })
    }

    private func shown(_ viewer: AnimationViewer) -> Int? {
        viewer.frame().map { bitmap in bitmap.withUnsafeBytes { Int($0[0]) - 1 } }
    }

    /// Plays, and checks that every frame is shown in time.
    private func play(_ viewers: [AnimationViewer], frames: Range<Int>, _ check: () -> Void = {}) {
        for frame in frames {
            for viewer in viewers { #expect(shown(viewer) == frame % 30) }
            workers.drain()
            check()
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func `With enough memory an animation holds eight frames and reports them to the budget`() throws {
        let budget = MemoryBudget(total: 100 * AnimationMemoryTests.frame)
        var image: AnimatedImage? = try animated(budget)
        var viewer = image?.makeViewer()
        workers.drain()
        #expect(image?.residentFrames == 8)
        #expect(budget.usage.animations == 8 * AnimationMemoryTests.frame)
        if let viewer { play([viewer], frames: 0..<40) { #expect(budget.usage.animations == image?.residentBytes) } }
        viewer = nil
        workers.drain()
        #expect(budget.usage.animations == 0)
        image = nil
    }

    @Test func `Animations share half of the budget, and each has at least two frames`() throws {
        let budget = MemoryBudget(total: 14 * AnimationMemoryTests.frame)
        let images = try (0..<3).map { _ in try animated(budget) }
        let viewers = images.map { $0.makeViewer() }
        workers.drain()
        play(viewers, frames: 0..<40) {
            #expect(budget.usage.animations <= 7 * AnimationMemoryTests.frame)
            for image in images { #expect(image.residentFrames >= 2) }
        }
    }

    @Test func `With no memory at all two frames are enough to play`() throws {
        let budget = MemoryBudget(total: 0)
        let image = try animated(budget)
        let viewer = image.makeViewer()
        workers.drain()
        play([viewer], frames: 0..<40) { #expect(image.residentFrames <= 2) }
    }

    @Test func `While memory is short an animation holds two frames, and later as many as before`() throws {
        let budget = MemoryBudget(total: 100 * AnimationMemoryTests.frame)
        let image = try animated(budget)
        let viewer = image.makeViewer()
        workers.drain()
        play([viewer], frames: 0..<3)
        #expect(image.residentFrames == 8)
        budget.share = 0.4
        // The memory is freed at once: only the shown frame stays.
        #expect(image.residentFrames == 1)
        workers.drain()
        play([viewer], frames: 3..<20) { #expect(image.residentFrames <= 2) }
        budget.share = 1
        workers.drain()
        play([viewer], frames: 20..<26)
        #expect(image.residentFrames == 8)
    }

    @Test func `Running decodes reduce the memory of animations`() throws {
        let budget = MemoryBudget(total: 10 * AnimationMemoryTests.frame)
        let decodes = budget.openDecoding()
        decodes.add(7 * AnimationMemoryTests.frame)
        let image = try animated(budget)
        let viewer = image.makeViewer()
        workers.drain()
        #expect(image.residentFrames == 3)
        play([viewer], frames: 0..<10) { #expect(budget.usage.total <= 10 * AnimationMemoryTests.frame) }
        decodes.add(-7 * AnimationMemoryTests.frame)
        play([viewer], frames: 10..<20)
        #expect(image.residentFrames == 5)
    }
}
