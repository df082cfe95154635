import Firn
import FirnTesting
import Testing

/// Tests that one `ImageLimits` value applies to every stage of an image.
@Suite(.timeLimit(.minutes(5))) struct PipelineLimitsTests {
    @Test(arguments: [true, false])
    func `A processor's result is held to the pipeline's limits`(isOfPixels: Bool) async throws {
        let fixture = PipelineFixture {
            if isOfPixels { $0.limits.maximumPixels = 2_000 } else { $0.limits.maximumResultBytes = 8_000 }
        }
        let url = fixture.image("a")
        #expect(try await fixture.pipeline.image(for: url).size == PipelineFixture.size)
        let enlarged = ImageProcessors.Resize(exactly: PixelSize(width: 80, height: 60), upscale: true)
        let error = await #expect(throws: ImageLoadingError.self) {
            _ = try await fixture.pipeline.image(for: ImageRequest(url: url, processors: [enlarged]))
        }
        #expect(error?.fault == .limit && error?.stage == .processing)
    }

    @Test func `A standard pipeline takes the limits of its loader for its own`() {
        var loader = DataLoader.Configuration()
        loader.limits.maximumPixels = 123
        loader.limits.maximumBytes = 456
        let configuration = ImagePipeline { $0.dataLoader = DataLoader(configuration: loader) }.configuration
        #expect(configuration.limits == loader.limits)
        #expect((configuration.dataLoader as? DataLoader)?.configuration.limits == loader.limits)
    }

    @Test func `Loader, pipeline, decoder and processors have the same defaults`() {
        let limits = ImageLimits()
        #expect(DataLoader.Configuration().limits == limits)
        #expect(ImagePipeline().configuration.limits == limits)
        #expect(ImageDecoder().limits == limits)
        #expect(ImageProcessingContext().limits == limits)
    }
}
