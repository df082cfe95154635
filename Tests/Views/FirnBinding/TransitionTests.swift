import FirnBinding
import FirnPipeline
import Testing

/// Tests custom transitions.
@Suite struct `Transitions of the caller's` {
    private func animation(_ frame: @escaping @Sendable (Double) -> ImageTransition.Frame) -> ImageTransition {
        .custom("test", duration: .seconds(1), frame: frame)
    }

    @Test func `Name and duration make transitions equal, not their closures`() {
        let slide = ImageTransition.custom("slide", duration: .seconds(1)) { ImageTransition.Frame(x: 1 - $0) }
        #expect(slide == .custom("slide", duration: .seconds(1)) { _ in ImageTransition.Frame() })
        #expect(slide != .custom("zoom", duration: .seconds(1)) { ImageTransition.Frame(x: 1 - $0) })
        #expect(slide != .custom("slide", duration: .seconds(2)) { ImageTransition.Frame(x: 1 - $0) })
        #expect(slide != .fadeIn)
        #expect(Set([slide, slide]).count == 1)
    }

    @Test(arguments: [(-1, 0), (0.25, 0.25), (7, 1), (.infinity, 1)] as [(Double, Double)])
    func `Progress is from 0 to 1`(asked: Double, given: Double) {
        #expect(animation { ImageTransition.Frame(x: $0) }.frame(at: asked).x == given)
    }

    @Test func `Values that cannot be painted are not passed to the toolkit`() {
        let wild = animation { _ in
            ImageTransition.Frame(opacity: 3, formerOpacity: -1, scale: -2, x: .nan, y: .infinity)
        }
        #expect(
            wild.frame(at: 0.5) == ImageTransition.Frame(opacity: 1, formerOpacity: 0, scale: 0, x: 0, y: 0))
        #expect(animation { _ in ImageTransition.Frame(scale: 1e300, x: -1e300) }.frame(at: 0).scale == 1_000)
    }
}
