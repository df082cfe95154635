import Firn
import FirnTesting
import FoundationEssentials
import Testing

/// The code in the comments of symbols.
enum SymbolSnippets {
    struct Row {
        let url: URL
    }

    static func pipeline() async throws {
        // snippet.task-image
        let image = try await ImagePipeline.shared.image(for: "https://example.org/photo.jpg")
        // snippet.end
        print(image)
    }

    static func prefetcher(_ pipeline: ImagePipeline, _ rowsToCome: [Row], _ rowsGone: [Row]) {
        // snippet.symbol-prefetcher
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.startPrefetching(with: rowsToCome.map(\.url))
        prefetcher.stopPrefetching(with: rowsGone.map(\.url))
        // snippet.end
    }

    static func disk(_ folder: URL) -> ImagePipeline {
        // snippet.symbol-settings
        let pipeline = ImagePipeline { $0.dataCache = .disk(at: folder, limit: 200 << 20) }
        // snippet.end
        return pipeline
    }

    static func retries() -> ImagePipeline.Configuration {
        // snippet.symbol-retries
        var configuration = ImagePipeline.Configuration()
        configuration.retries.limit = 4
        configuration.retries.statuses.insert(500)
        // snippet.end
        return configuration
    }

    static func cause(_ pipeline: ImagePipeline, _ request: ImageRequest) {
        // snippet.symbol-error-cause
        Task {
            do {
                let image = try await pipeline.image(for: request)
                print(image.size)
            } catch {
                guard let failure = ImageLoadingError(error), failure != .cancelled else {
                    return
                }
                let isTimeout = (failure.underlying as? DataLoadingError)?.cause == .timeout
                print(isTimeout ? "too slow" : failure.message)
            }
        }
        // snippet.end
    }

    static func cancelled(_ error: ImageLoadingError) {
        // snippet.symbol-error-cancelled
        switch error {
        case .cancelled: print("not wanted any more")
        default: print(error)
        }
        // snippet.end
    }

    // MARK: Fakes

    static func server(_ loader: DataLoader, _ data: Data, _ half: Data) throws -> any DataTransfer {
        // snippet.symbol-server
        let server = try ScriptedServer()
        server.respond(to: "/x.png", with: .body(data))
        server.respond(
            to: "/cut.png",
            with: .steps([.bytes(half), .cut], framing: .statedLength(data.count)))
        let transfer = loader.startLoading(DataRequest(url: server.url("/x.png"))) { event in
            print(event)
        }
        // snippet.end
        return transfer
    }

    static func recorder(_ loader: DataLoader, _ request: DataRequest, _ expected: Data) async -> any DataTransfer {
        // snippet.symbol-load-recorder
        let recorder = Recorder<DataEvent>()
        let transfer = loader.startLoading(request) { recorder.add($0) }
        let result = await recorder.end()
        #expect(result.error == nil && result.body == expected && result.violations.isEmpty)
        // snippet.end
        return transfer
    }

    static func loader(_ data: Data) async {
        // snippet.symbol-scripted-loader
        let loader = ScriptedLoader()
        loader.respond(to: "https://a/x.png", with: data)  // at once, inside `startLoading`
        loader.hold("https://a/y.png")  // nothing before `release`
        loader.respondByHand(to: "https://a/z.png")  // events come from the test
        let transfer = await loader.waitForRequest("https://a/z.png")
        transfer.respond()
        transfer.send(data)
        transfer.finish()
        // snippet.end
    }

    static func events(_ configuration: inout ImagePipeline.Configuration) async {
        // snippet.symbol-event-recorder
        let recorder = Recorder<PipelineEvent>()
        configuration.observers = [recorder]
        let record = await recorder.wait { $0.calls.count > 3 }
        // snippet.end
        print(record.calls.count)
    }

    static func isolation() {
        // snippet.isolation
        DecoderIsolation.standard = .all
        // snippet.end
    }
}
