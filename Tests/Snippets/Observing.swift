import Firn
import FirnTelemetry
import FoundationEssentials

#if Telemetry
import CoreMetrics
import Logging
import Tracing
#endif

// snippet.stage-log
/// Writes how long each stage takes, and which requests fail.
struct StageLog: PipelineObserver {
    let write: @Sendable (String) -> Void

    func pipeline(didObserve event: PipelineEvent) {
        switch event.name {
        case .taskEnded:
            if let error = event.error { write("\(error)") }
        default:
            guard let time = event.duration else { return }
            write("\(event.name) after \(time), \(event.bytes) bytes")
        }
    }
}
// snippet.end

/// The code of the articles on what a pipeline tells.
enum ObservingSnippets {
    static func stages(_ write: @escaping @Sendable (String) -> Void) -> ImagePipeline {
        // snippet.stage-log
        let pipeline = ImagePipeline { $0.observers = [StageLog(write: write)] }
        // snippet.end
        return pipeline
    }

    static func metrics() -> ImagePipeline {
        // snippet.observers
        let page = PrometheusPage()
        let pipeline = ImagePipeline { $0.observers = [MetricsObserver(page: page)] }
        // … load images …
        print(page.text)  // the response to a scrape
        // snippet.end
        return pipeline
    }

    #if Telemetry
    static func packages(_ tracer: some Tracer) -> ImagePipeline {
        // snippet.observers-packages
        let pipeline = ImagePipeline { configuration in
            configuration.observers = [
                LogObserver(Logger(label: "images")), MetricsObserver(), SpanObserver(tracer),
            ]
        }
        // snippet.end
        return pipeline
    }
    #endif

    static func timeline() throws -> ImagePipeline {
        // snippet.timeline
        let recorder = TimelineRecorder()
        let pipeline = ImagePipeline { $0.observers = [recorder] }
        // … load images …
        try recorder.trace().write(to: URL(filePath: "trace.json"))
        // snippet.end
        return pipeline
    }

    static func http() -> any DataTransfer {
        // snippet.http
        let loader = DataLoader()
        let transfer = loader.startLoading(
            DataRequest(url: "https://example.org/archive.zip")
        ) { event in
            switch event {
            case .response(let response):
                print(response.status as Any, response.expectedLength as Any)
            case .chunk(let data): print(data.count, "bytes")
            case .end(let error): print(error?.message ?? "whole")
            }
        }
        // snippet.end
        return transfer
    }

    static func store(_ data: Data) throws {
        // snippet.data-cache
        let cache = DataCache.disk(path: "/var/cache/tiles", limit: 64 << 20)
        try cache.store(DataCacheEntry(data: data), for: "7/65/42")
        let entry = try cache.entry(for: "7/65/42")
        // snippet.end
        print(entry as Any)
    }

    static func thumbnail(of file: URL) async throws -> Data? {
        // snippet.thumbnails
        let store = try ThumbnailStore()
        let thumbnail = try await store.data(for: file, fitting: 256) { side in
            try await Bitmap(contentsOf: file, targetSize: TargetSize(side)).pngData()
        }
        // snippet.end
        return thumbnail
    }
}
