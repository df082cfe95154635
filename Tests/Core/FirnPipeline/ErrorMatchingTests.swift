import FirnImage
import FirnPipeline
import FirnTesting
import Testing

/// Errors are compared, matched and found among others.
@Suite(.timeLimit(.minutes(5))) struct ErrorMatchingTests {
    private struct Other: Error {}

    private func cancelledError() async -> ImageLoadingError? {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let task = fixture.pipeline.imageTask(with: url)
        task.cancel()
        return await #expect(throws: ImageLoadingError.self) { _ = try await task.image }
    }

    @Test func `A cancelled task's error matches the pattern, the comparison and the property`() async throws {
        let error = try #require(await cancelledError())
        #expect(error.isCancelled)
        #expect(error == .cancelled)
        #expect(error.source == "https://example.org/a")
        if case .cancelled = error {} else { Issue.record("the pattern does not match") }
        switch error {
        case .cancelled: break
        default: Issue.record("the case does not match")
        }
    }

    @Test func `A cancelled task's error is not Swift's CancellationError`() async throws {
        let error: any Error = try #require(await cancelledError())
        #expect(!(error is CancellationError))
    }

    @Test func `Cancelled errors are equal to each other and to no other`() {
        let others = ImageLoadingError.Fault.cases.filter { $0 != .cancelled }
        let cancelled = ImageLoadingError(.cancelled, at: .loading, source: "a", message: "b")
        #expect(cancelled == .cancelled)
        #expect(cancelled.hashValue == ImageLoadingError.cancelled.hashValue)
        for fault in others {
            let error = ImageLoadingError(fault, at: .request, source: "", message: "the request was cancelled")
            #expect(error != .cancelled && .cancelled != error && !error.isCancelled)
        }
    }

    @Test func `Equality looks at all parts but the underlying error`() {
        func error(_ source: String, _ status: Int?, _ underlying: (any Error)?) -> ImageLoadingError {
            ImageLoadingError(
                .source, at: .loading, source: source, message: "m", statusCode: status, underlying: underlying)
        }
        #expect(error("a", 404, Other()) == error("a", 404, nil))
        #expect(error("a", 404, nil) != error("b", 404, nil))
        #expect(error("a", 404, nil) != error("a", 500, nil))
    }

    @Test func `Only an error of the pipeline converts to one`() async throws {
        let error: any Error = try #require(await cancelledError())
        #expect(ImageLoadingError(error)?.isCancelled == true)
        #expect(ImageLoadingError(Other()) == nil)
        #expect(ImageLoadingError(CancellationError()) == nil)
    }

    @Test func `In a closure of several statements the fault is found by turning the error`() async {
        let fixture = PipelineFixture()
        let faults = await Task {
            var faults: [ImageLoadingError.Fault] = []
            do {
                _ = try await fixture.pipeline.image(for: "https://example.org/missing")
            } catch {
                if let error = ImageLoadingError(error) { faults.append(error.fault) }
            }
            return faults
        }.value
        #expect(faults == [.source])
    }
}

extension ImageLoadingError.Fault {
    fileprivate static let cases: [Self] = [
        .request, .source, .data, .unsupported, .limit, .cancelled, .pipeline,
    ]
}
