import FirnImage
import FoundationEssentials
import Testing

/// The time until which an image serves, as a date.
@Suite struct ContainerFreshnessTests {
    private func container() throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: 1)) { _ in })
    }

    @Test func `An image without a time is always fresh`() throws {
        var container = try container()
        #expect(container.freshUntil == nil && container.freshNanoseconds == .max)
        container.freshUntil = Date(timeIntervalSince1970: 5)
        #expect(container.freshNanoseconds == 5_000_000_000)
        container.freshUntil = nil
        #expect(container.freshNanoseconds == .max)
    }

    @Test(arguments: [-86_400.5, 0, 1.25, 1_800_000_000])
    func `A time is returned as it was set`(seconds: Double) throws {
        var container = try container()
        container.freshUntil = Date(timeIntervalSince1970: seconds)
        let kept = try #require(container.freshUntil).timeIntervalSince1970
        #expect(abs(kept - seconds) < 1e-5)
    }

    @Test(arguments: [Date.distantFuture.timeIntervalSince1970, 1e300, .infinity, -1e300, -.infinity, .nan])
    func `An unreachable time is clamped and means neither always nor never`(seconds: Double) throws {
        var container = try container()
        container.freshUntil = Date(timeIntervalSince1970: seconds)
        #expect(container.freshUntil != nil)
        #expect(container.freshNanoseconds != .max && container.freshNanoseconds != .min)
    }
}
