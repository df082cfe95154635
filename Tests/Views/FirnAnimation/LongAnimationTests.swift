import FirnCodecs
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnAnimation
@testable import FirnPipeline

/// Tests a long GIF with Firn's own decoder.
@Suite struct LongAnimationTests {
    @Test func `a GIF of 344 frames plays twice with at most eight frames in memory (F2)`() throws {
        let decoder = ImageDecoder()
        try decoder.setData(PlainGIF.data(width: 48, height: 27, count: 344, hundredths: 4), allDataReceived: true)
        #expect(decoder.frameCount == 344)
        let clock = ManualClock()
        let jobs = Locked<[WorkerQueue.Job]>([])
        let image = AnimatedImage(
            decoder: decoder, options: DecodingOptions(), now: { clock.elapsed },
            run: { job in jobs.withLock { $0.append(job) } })
        let viewer = image.makeViewer()
        for step in 0..<688 {
            while let job = jobs.withLock({ $0.popLast() }) { job() }
            let shown = viewer.frame()?.withUnsafeBytes { $0[0] }
            #expect(shown == PlainGIF.level(step % 344), "step \(step)")
            #expect(image.residentFrames <= 8)
            clock.advance(by: .milliseconds(40))
        }
        #expect(image.decodedFrames <= 688 + 8)
    }
}
