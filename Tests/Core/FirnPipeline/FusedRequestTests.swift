import FirnImage
import FirnProcessing
import FirnTesting
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct FusedRequestTests {
    private static let resize = ImageProcessors.Resize(size: PixelSize(width: 20, height: 20), mode: .fill)
    private static let crop = ImageProcessors.Crop(size: PixelSize(width: 10, height: 10))
    private static let blur = ImageProcessors.GaussianBlur(radius: 1)

    @Test func `Processors that are better done together are one step, the others one each`() {
        var request = ImageRequest(url: "https://example.org/a")
        request.processors = [Self.blur, Self.resize, Self.crop, Self.blur]
        #expect(request.steps.count == 4)
        request.processors = [Self.blur, Self.blur]
        #expect(request.steps.count == 3)
    }

    @Test func `A decoder gets the size of a resize after rotations and flips, in stored orientation`()
        async throws
    {
        let fixture = PipelineFixture()
        let resize = ImageProcessors.Resize(size: PixelSize(width: 8, height: 12), mode: .fill)
        let (turn, flip) = (ImageProcessors.Rotate(.right), ImageProcessors.Flip())
        let cases: [([any ImageProcessing], PixelSize?)] = [
            ([turn, resize], PixelSize(width: 12, height: 8)),
            ([ImageProcessors.Rotate(.half), flip, resize], PixelSize(width: 8, height: 12)),
            ([turn, ImageProcessors.Composition([flip, turn]), resize, Self.blur], PixelSize(width: 8, height: 12)),
            ([ImageProcessors.Composition([ImageProcessors.Rotate(.left), resize])], PixelSize(width: 12, height: 8)),
            ([turn, Self.blur, resize], nil), ([turn], nil),
        ]
        for (index, (processors, target)) in cases.enumerated() {
            let request = ImageRequest(url: fixture.image("\(index)"), processors: processors)
            let image = try await fixture.pipeline.imageTask(with: request).image
            let decode = try #require(fixture.decoder.decodes.calls.last)
            #expect(decode.targetSize == target.map { TargetSize($0, mode: .fill) })
            // 40 × 30 on its side, or upright, scaled to cover 8 × 12.
            if index == 0 { #expect(image.size == PixelSize(width: 9, height: 12)) }
        }
    }

    @Test func `The image is that of the steps, and its names are those of all processors`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        let request = ImageRequest(url: url, processors: [Self.resize, Self.crop])
        let image = try await fixture.pipeline.imageTask(with: request).image
        #expect(image.size == PixelSize(width: 10, height: 10))
        #expect(request.imageCacheKey.string.hasSuffix("|\(Self.resize.identifier)|\(Self.crop.identifier)"))
    }

    @Test func `Work continues from an image in memory that has some of the steps`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.imageTask(with: ImageRequest(url: url, processors: [Self.resize])).response
        let request = ImageRequest(url: url, processors: [Self.resize, Self.crop, Self.blur])
        let image = try await fixture.pipeline.imageTask(with: request).image
        #expect(image.size == PixelSize(width: 10, height: 10))
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `An invalid parameter is the request's fault; a too large result is a limit`()
        async throws
    {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        let cases: [(any ImageProcessing, ImageLoadingError.Fault)] = [
            (ImageProcessors.GaussianBlur(radius: .nan), .request),
            (ImageProcessors.Pad(top: 1 << 29), .limit),
        ]
        for (processor, fault) in cases {
            let error = await #expect(throws: ImageLoadingError.self) {
                try await fixture.pipeline.imageTask(with: ImageRequest(url: url, processors: [processor])).response
            }
            #expect(error?.fault == fault)
            #expect(error?.stage == .processing)
        }
    }
}
