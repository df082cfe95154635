import FirnBinding
import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests that a new view shows the stale image in memory or on disk, also after its source has refused the request.
@Suite(.timeLimit(.minutes(5))) @MainActor struct RefusedRequestTests {
    private let clock = ManualClock(elapsed: .seconds(1_000_000))
    private let disk = InMemoryFileSystem()
    private let gray = ImagePlaceholder.color(SRGBColor(red: 1, green: 2, blue: 3))
    private let red = ImagePlaceholder.color(SRGBColor(red: 255, green: 0, blue: 0))
    private static let whole = PixelSize(width: 400, height: 300)

    private func empty(memory: Bool) -> BindingFixture {
        let options = ImageLoadingOptions(placeholder: gray, failureImage: red)
        return BindingFixture(memory: memory, options: options) {
            $0.dataCache = DataCache(directory: "/c", fileSystem: disk)
            $0.httpCachePolicy = HTTPCachePolicy.images
            $0.remembersFailures = true
            $0.now = { [clock] in clock.elapsed }
        }
    }

    private func fixture(
        memory: Bool, headers: HTTPHeaderFields = HTTPHeaderFields()
    ) async throws -> (BindingFixture, ImageRequest) {
        let fixture = empty(memory: memory)
        let request = fixture.request("a", size: Self.whole)
        fixture.loader.respond(to: request.description, with: ScriptedDecoder.image(Self.whole), headers: headers)
        _ = try await fixture.base.pipeline.image(for: request)
        await fixture.base.pipeline.flush()
        clock.advance(by: .seconds(86_400))
        return (fixture, request)
    }

    /// Runs the drawing thread until the label's request has ended.
    private func end(_ label: PhotoLabel, _ fixture: BindingFixture) async {
        while label.binding.phase.isLoading { await fixture.frames.turn() }
    }

    @Test func `The stale image of another size in memory is shown in the call`() async throws {
        let (fixture, request) = try await fixture(memory: true)
        fixture.loader.fail(request.description, with: DataLoadingError(.status(403), "no"))
        for _ in 0..<2 {
            let label = fixture.label()
            label.photo = request
            #expect(label.kinds == [.preview])
            #expect(label.image?.size == Self.whole)
            await end(label, fixture)
            #expect(label.kinds.last == .preview)
        }
    }

    @Test(arguments: [401, 403], [false, true])
    func `The stale image on disk is shown and stays`(status: Int, memory: Bool) async throws {
        let request = try await fixture(memory: false).1
        // A later run of the program: nothing is in memory.
        let fixture = empty(memory: memory)
        fixture.loader.fail(request.description, with: DataLoadingError(.status(status), "no"))
        fixture.loader.hold(request.description)
        let labels = (0..<3).map { _ in fixture.label() }
        for label in labels { label.photo = request }
        await fixture.release(request)
        for label in labels {
            await end(label, fixture)
            // On a busy machine the stale image of the first label may be there before the next one is bound.
            #expect(Array(label.kinds.drop { $0 == .placeholder }) == [.preview], "\(label.kinds)")
            #expect(label.image != nil && label.binding.phase.error?.statusCode == status)
        }
        // A view that is bound while the refusal is remembered, as after scrolling back.
        guard memory else { return }
        let later = fixture.label()
        later.photo = request
        #expect(later.kinds == [.preview] && later.binding.phase.error?.statusCode == status)
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func `A stale image that must not be shown is not shown`(rule: String) async throws {
        var headers = HTTPHeaderFields()
        headers["Cache-Control"] = "max-age=60, \(rule)"
        for memory in [false, true] {
            let (fixture, request) = try await fixture(memory: memory, headers: headers)
            fixture.loader.fail(request.description, with: DataLoadingError(.status(403), "no"))
            let label = fixture.label()
            label.photo = request
            await end(label, fixture)
            #expect(label.kinds.last == .failure && !label.kinds.contains(.preview))
        }
    }
}
