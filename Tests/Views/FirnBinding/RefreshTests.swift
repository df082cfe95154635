import FirnBinding
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests that a view which shows an image loads it again when it is outdated, and keeps it until the new one is there.
@Suite(.timeLimit(.minutes(5))) @MainActor struct RefreshTests {
    private static let newSize = PixelSize(width: 300, height: 300)
    private static let filling = ImageLoadingOptions(placeholder: .color(SRGBColor(red: 1, green: 2, blue: 3)))

    /// A fixture whose images are shown with all of their pixels, so that their sizes identify them.
    private func fixture(
        memory: Bool = true, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> BindingFixture {
        var options = Self.filling
        options.isResizingEnabled = false
        return BindingFixture(memory: memory, options: options, change)
    }

    /// Returns what the label has shown since the first placeholder, which a fast load needs not.
    private func shown(_ label: PhotoLabel) -> [DisplayedContent.Kind] {
        Array(label.kinds.drop { $0 == .placeholder })
    }

    /// Runs the drawing thread until the label has received a number of images.
    private func images(_ count: Int, _ label: PhotoLabel, _ fixture: BindingFixture) async {
        while label.kinds.count(where: { $0 == .image }) < count { await fixture.frames.turn() }
    }

    /// Runs the drawing thread until the label's request has ended.
    private func end(_ label: PhotoLabel, _ fixture: BindingFixture) async {
        while label.binding.phase.isLoading { await fixture.frames.turn() }
    }

    @Test(arguments: [true, false])
    func `A reload contacts the source and keeps the image until the new one is there`(isRebound: Bool) async {
        let fixture = fixture()
        let (label, request) = (fixture.label(), fixture.request("a"))
        label.photo = request
        await images(1, label, fixture)
        var reload = fixture.held("a", size: Self.newSize)
        reload.options = .reloadIgnoringCachedData
        if isRebound { label.binding.prepareForReuse() }
        label.photo = reload
        #expect(label.binding.phase.isLoading)
        // The running reload is not started again.
        label.photo = reload
        _ = await fixture.loader.waitForRequest(request.description, number: 2)
        fixture.loader.release(request.description)
        await images(2, label, fixture)
        #expect(shown(label) == [.image, .image])
        #expect(label.image?.size == Self.newSize)
        #expect(fixture.loader.requests.count == 2)
        label.photo = reload
        await end(label, fixture)
        #expect(fixture.loader.requests.count == 3)
    }

    @Test func `A reload does not take over a request that reads caches`() async {
        let fixture = fixture()
        let (first, second, request) = (fixture.label(), fixture.label(), fixture.held("a"))
        first.photo = request
        first.binding.prepareForReuse()
        var reload = request
        reload.options = .reloadIgnoringCachedData
        second.photo = reload
        #expect(fixture.context.statistics.takenOver == 0)
        second.binding.clear()
    }

    @Test func `A retry after a success asks the source`() async {
        let fixture = fixture()
        let (label, request) = (fixture.label(), fixture.request("a"))
        label.photo = request
        await images(1, label, fixture)
        _ = fixture.request("a", size: Self.newSize)
        label.binding.retry()
        await images(2, label, fixture)
        #expect(shown(label) == [.image, .image])
        #expect(label.image?.size == Self.newSize)
        // Another view has the new image, and the request itself is unchanged.
        #expect(label.binding.request?.options == [])
        let other = fixture.label()
        other.photo = request
        #expect(other.kinds == [.image] && other.image?.size == Self.newSize)
    }

    @Test func `An image that a reload elsewhere has replaced is shown in the call`() async {
        let fixture = fixture()
        let (label, other, request) = (fixture.label(), fixture.label(), fixture.request("a"))
        label.photo = request
        await images(1, label, fixture)
        other.photo = fixture.request("a", size: Self.newSize)
        other.binding.retry()
        await images(2, other, fixture)
        label.photo = request
        #expect(shown(label) == [.image, .image])
        #expect(label.image?.size == Self.newSize)
        #expect(fixture.loader.requests.count == 2)
    }

    @Test func `An expired image is loaded again, and a fresh one is not`() async {
        let clock = ManualClock(elapsed: .seconds(1_000_000))
        let fixture = fixture {
            $0.httpCachePolicy = HTTPCachePolicy.images
            $0.now = { clock.elapsed }
        }
        var headers = HTTPHeaderFields()
        headers["Cache-Control"] = "max-age=60"
        let (label, request) = (fixture.label(), fixture.request("a"))
        fixture.loader.respond(
            to: request.description, with: ScriptedDecoder.image(PixelSize(width: 400, height: 300)), headers: headers)
        label.photo = request
        await images(1, label, fixture)
        clock.advance(by: .seconds(59))
        label.photo = request
        #expect(!label.binding.phase.isLoading)
        clock.advance(by: .seconds(2))
        fixture.loader.respond(to: request.description, with: ScriptedDecoder.image(Self.newSize), headers: headers)
        label.photo = request
        await images(2, label, fixture)
        #expect(shown(label) == [.image, .image])
        #expect(label.image?.size == Self.newSize)
    }

    @Test func `A replaced file is loaded again`() async throws {
        let files = InMemoryFileSystem()
        let fixture = fixture { $0.files = files }
        let path = "/images/a.test"
        files[path] = ScriptedDecoder.image(PixelSize(width: 400, height: 300))
        let (label, request) = (fixture.label(), ImageRequest(path: path))
        label.photo = request
        await images(1, label, fixture)
        label.photo = request
        #expect(!label.binding.phase.isLoading)
        files[path] = ScriptedDecoder.image(Self.newSize)
        try files.touch(path, modified: 1)
        label.photo = request
        await images(2, label, fixture)
        #expect(shown(label) == [.image, .image])
        #expect(label.image?.size == Self.newSize)
    }

    @Test func `A new address under the same id is loaded, unless a cache has the image of the id`() async {
        let sizes = [PixelSize(width: 400, height: 300), Self.newSize]
        for memory in [true, false] {
            let fixture = fixture(memory: memory)
            let requests = zip(["1", "2"], sizes).map { name, size in
                var request = fixture.request(name, size: size)
                request.imageID = "avatar"
                return request
            }
            let label = fixture.label()
            label.photo = requests[0]
            await images(1, label, fixture)
            label.photo = requests[1]
            await end(label, fixture)
            #expect(label.image?.size == sizes[memory ? 0 : 1])
            #expect(shown(label) == (memory ? [.image] : [.image, .image]))
        }
    }

    @Test func `A new address under the same id replaces a running request, and a failed one`() async {
        let fixture = fixture()
        let (label, former) = (fixture.label(), fixture.held("1"))
        let requests = [former, fixture.request("2"), fixture.request("3", size: Self.newSize)].map { request in
            var request = request
            request.imageID = "avatar"
            return request
        }
        fixture.loader.fail(requests[1].description, with: DataLoadingError(.status(403), "expired"))
        label.photo = requests[0]
        _ = await fixture.loader.waitForRequest(former.description)
        label.photo = requests[1]
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == [former.description] }
        await end(label, fixture)
        #expect(label.binding.phase.error?.statusCode == 403)
        label.photo = requests[2]
        await images(1, label, fixture)
        #expect(label.image?.size == Self.newSize)
    }

    @Test(arguments: [401, 403, 404, 500])
    func `A failed reload keeps the image`(status: Int) async {
        let fixture = fixture()
        let (label, request) = (fixture.label(), fixture.request("a"))
        var failures: [Int?] = []
        label.binding.onCompletion = { if case .failure(let error) = $0 { failures.append(error.statusCode) } }
        label.photo = request
        await images(1, label, fixture)
        fixture.loader.fail(request.description, with: DataLoadingError(.status(status), "no"))
        label.binding.retry()
        await end(label, fixture)
        #expect(shown(label) == [.image])
        #expect(label.binding.phase.response != nil)
        #expect(failures == [status])
        // The failure does not lead to another request when the view changes its size.
        label.layoutChanged()
        #expect(!label.binding.phase.isLoading)
    }

    @Test(arguments: [(401, DisplayedContent.Kind.preview), (403, .preview), (404, .failure), (410, .failure)])
    func `A stale image stays if the source refuses the request, and goes if the image is gone`(
        status: Int, kind: DisplayedContent.Kind
    ) async {
        let clock = ManualClock(elapsed: .seconds(1_000_000))
        var options = Self.filling
        options.failureImage = .color(SRGBColor(red: 255, green: 0, blue: 0))
        options.isResizingEnabled = false
        let fixture = BindingFixture(options: options) {
            $0.httpCachePolicy = HTTPCachePolicy.images
            $0.remembersFailures = true
            $0.now = { clock.elapsed }
        }
        let (first, second, request) = (fixture.label(), fixture.label(), fixture.request("a"))
        first.photo = request
        await images(1, first, fixture)
        clock.advance(by: .seconds(86_400))
        fixture.loader.fail(request.description, with: DataLoadingError(.status(status), "no"))
        fixture.loader.hold(request.description)
        second.photo = request
        #expect(second.kinds == [.preview])
        fixture.loader.release(request.description)
        await end(second, fixture)
        #expect(second.kinds.last == kind)
        #expect(second.binding.phase.error?.statusCode == status)
        // A view that is bound while the failure is remembered shows the same, in the call.
        let third = fixture.label()
        third.photo = request
        #expect(third.kinds == [kind])
        #expect(third.binding.phase.error?.statusCode == status)
    }

    @Test func `A refusal that arrives before the view listens leaves the stale image in memory`() async {
        let clock = ManualClock(elapsed: .seconds(1_000_000))
        let fixture = fixture {
            $0.httpCachePolicy = HTTPCachePolicy.images
            $0.now = { clock.elapsed }
        }
        let (first, request) = (fixture.label(), fixture.request("a"))
        first.photo = request
        await images(1, first, fixture)
        clock.advance(by: .seconds(86_400))
        fixture.loader.fail(request.description, with: DataLoadingError(.status(403), "no"))
        // The failure arrives on other threads, at any moment of the call.
        for _ in 0..<200 {
            let label = fixture.label()
            label.photo = request
            await end(label, fixture)
            #expect(shown(label) == [.preview])
            #expect(label.binding.phase.error?.statusCode == 403)
        }
    }

    @Test func `Options that change without a load do not reload`() async {
        let fixture = fixture()
        let label = fixture.label()
        var request = fixture.request("a")
        request.options = .reloadIgnoringCachedData
        label.photo = request
        await images(1, label, fixture)
        var options = Self.filling
        options.isResizingEnabled = false
        options.contentMode = .fill
        label.binding.apply(options)
        #expect(label.contents.last?.contentMode == .fill)
        #expect(!label.binding.phase.isLoading && fixture.loader.requests.count == 1)
    }

    @Test func `The priority of the same request applies to its load`() {
        let fixture = fixture()
        let label = fixture.label()
        var task: ImageTask?
        label.binding.onStart = { task = $0 }
        var request = fixture.held("a")
        label.photo = request
        request.priority = .high
        label.photo = request
        #expect(task?.priority == .high)
        label.binding.clear()
    }
}
