import Dispatch
import FirnImage
import FirnProcessing
import FirnSync
import FoundationEssentials
import Testing

/// Tests one processor on several images at once.
@Suite struct SharedProcessorTests {
    /// Calls a closure after the first stripe, before the rest of the image.
    private struct InterruptedStripes: StripeExecutor {
        let interruption: @Sendable () -> Void

        func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
            for index in 0..<count {
                body(index)
                if index == 0 { interruption() }
            }
        }
    }

    private static let processors: [any ImageProcessing] =
        ProcessorRunTests.all + [
            ImageProcessors.Composition([
                ImageProcessors.Resize(size: PixelSize(width: 90, height: 90)), ImageProcessors.GaussianBlur(radius: 3),
                ImageProcessors.ColorMatrix.sepia(),
            ])
        ]

    /// Returns two images that differ in size, layout, alpha and content.
    private func images() throws -> (Bitmap, Bitmap) {
        let first = try Bitmap.test(PixelSize(width: 16, height: 16), .bgra8Premultiplied)
            .resized(to: PixelSize(width: 900, height: 250), filter: .box)
        let second = try Bitmap.test(PixelSize(width: 620, height: 370), .rgb8, seed: 9)
        return (first, second)
    }

    @Test func `Processing two images at once changes neither (F23)`() throws {
        let (first, second) = try images()
        // Some processors work on a reduced image, which is a single stripe.
        var interrupted = 0
        for processor in Self.processors {
            let alone = (try processor.apply(first), try processor.apply(second))
            let between = Locked<[Bitmap?]>([])
            let stripes = InterruptedStripes {
                let image = try? processor.apply(second)
                between.withLock { $0.append(image) }
            }
            let together = try processor.apply(first, ImageProcessingContext(stripes: stripes))
            let others = between.withLock { $0 }
            if !others.isEmpty { interrupted += 1 }
            #expect(together.packedBytes == alone.0.packedBytes, "\(processor.identifier)")
            for other in others {
                #expect(other?.packedBytes == alone.1.packedBytes, "\(processor.identifier), in between")
            }
        }
        #expect(interrupted > Self.processors.count / 2)
    }

    @Test func `Threads that share a processor each get their own image (F23)`() throws {
        let (first, second) = try images()
        for processor in Self.processors {
            let alone = [try processor.apply(first).packedBytes, try processor.apply(second).packedBytes]
            let wrong = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                let image = try? processor.apply(number % 2 == 0 ? first : second)
                if image?.packedBytes != alone[number % 2] { wrong.withLock { $0 += 1 } }
            }
            #expect(wrong.withLock { $0 } == 0, "\(processor.identifier)")
        }
    }
}
