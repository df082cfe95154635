import FirnImage
import Testing

@Suite struct RepetitionCountTests {
    private func count(_ format: ImageFormat, _ stored: Int?, frames: Int = 2) -> RepetitionCount {
        var properties = ImageProperties(format: format, size: PixelSize(width: 1, height: 1))
        properties.loopCount = stored
        properties.frameCount = frames
        return properties.repetitionCount
    }

    @Test func `a GIF counts repetitions, the others count plays (F18)`() {
        #expect(count(.gif, 1) == .plays(2))
        #expect(count(.gif, 65_535) == .plays(65_536))
        #expect(count(.apng, 1) == .once)
        #expect(count(.webp, 3) == .plays(3))
    }

    @Test func `zero is forever, nothing is once (F18)`() {
        for format in [ImageFormat.gif, .apng, .webp, .jxl] {
            #expect(count(format, 0) == .forever)
            #expect(count(format, nil) == .once)
        }
        #expect(count(.avif, nil) == .forever)
        #expect(count(.avif, nil, frames: 1) == .once)
    }

    @Test func `numbers that no format stores do no harm`() {
        #expect(count(.gif, Int.max) == .forever)
        #expect(count(.gif, -1) == .once)
        #expect(count(.webp, Int.min) == .once)
    }

    @Test func `an animation is over after its plays`() {
        #expect(!RepetitionCount.plays(2).isOver(after: 1))
        #expect(RepetitionCount.plays(2).isOver(after: 2))
        #expect(!RepetitionCount.forever.isOver(after: Int.max))
    }
}
