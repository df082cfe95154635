import FirnBinding
import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests that a failure which the pipeline remembers is shown in the call that requests the image.
@Suite(.timeLimit(.minutes(5))) @MainActor struct KnownFailureTests {
    private let gray = ImagePlaceholder.color(SRGBColor(red: 1, green: 2, blue: 3))
    private let red = ImagePlaceholder.color(SRGBColor(red: 255, green: 0, blue: 0))

    private func fixture(
        failureImage: ImagePlaceholder? = nil, disk: Bool = false, memory: Bool = true,
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> BindingFixture {
        BindingFixture(
            memory: memory, options: ImageLoadingOptions(placeholder: gray, failureImage: failureImage)
        ) { configuration in
            configuration.remembersFailures = true
            if disk { configuration.dataCache = DataCache(directory: "/c", fileSystem: InMemoryFileSystem()) }
            change(&configuration)
        }
    }

    private func fail(_ label: PhotoLabel, _ fixture: BindingFixture, _ request: ImageRequest) async {
        label.photo = request
        while label.binding.phase.error == nil { await fixture.frames.turn() }
    }

    @Test(arguments: [false, true], [false, true])
    func `The failure image is shown in the call, in every size and again in the same view`(
        disk: Bool, memory: Bool
    ) async {
        let fixture = fixture(failureImage: red, disk: disk, memory: memory)
        let (first, second, request) = (fixture.label(), fixture.label(), ImageRequest(url: "https://example.org/x"))
        await fail(first, fixture, request)
        #expect(first.kinds.last == .failure)
        let count = first.kinds.count
        second.width = 80
        second.photo = request
        #expect(second.kinds == [.failure])
        #expect(second.binding.phase.error?.statusCode == 404)
        first.binding.prepareForReuse()
        first.photo = request
        #expect(first.kinds.count == count)
        #expect(first.binding.phase.error?.statusCode == 404)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `Without a failure image the placeholder is shown in the call`() async {
        let fixture = fixture()
        let (first, second, request) = (fixture.label(), fixture.label(), ImageRequest(url: "https://example.org/x"))
        await fail(first, fixture, request)
        second.photo = request
        #expect(second.kinds == [.placeholder])
        #expect(second.binding.phase.error != nil)
    }

    @Test func `A reload and a retry contact the source`() async {
        let fixture = fixture(failureImage: red)
        let (label, request) = (fixture.label(), ImageRequest(url: "https://example.org/x"))
        await fail(label, fixture, request)
        let other = fixture.label()
        var reload = request
        reload.options = .reloadIgnoringCachedData
        // The failure of either may arrive within the call of the other.
        fixture.loader.hold(request.description)
        other.photo = reload
        #expect(other.binding.phase.isLoading)
        label.binding.retry()
        #expect(label.binding.phase.isLoading)
        other.binding.clear()
        label.binding.clear()
    }

    @Test func `A stale image on disk serves in place of a remembered failure of its server`() async throws {
        let clock = ManualClock(elapsed: .seconds(1_000_000))
        let fixture = fixture(failureImage: red, disk: true, memory: false) {
            $0.httpCachePolicy = HTTPCachePolicy.images
            $0.now = { clock.elapsed }
        }
        let request = fixture.request("a")
        _ = try await fixture.base.pipeline.image(for: request)
        await fixture.base.pipeline.flush()
        clock.advance(by: .seconds(3_600))
        fixture.loader.fail(request.description, with: DataLoadingError(.status(503), "busy"))
        for _ in 0..<2 {
            let response = try await fixture.base.pipeline.imageTask(with: request).response
            #expect(response.isStale)
        }
        #expect(fixture.loader.requests.count == 2)
    }
}
