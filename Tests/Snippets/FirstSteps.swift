import Firn
import FoundationEssentials

// The code of the articles, as a program has it. The pages show what is between `snippet.` lines, and
// `Scripts/check-snippets` compares them. Most of the functions are only compiled, not called.

/// The actions of a program with an image and with a message.
enum Screen {
    static func show(_ image: Bitmap) {}
    static func show(_ message: String) {}
}

enum FirstSteps {
    static func first() async throws {
        // snippet.first
        let image = try await ImagePipeline.shared.image(for: "https://example.org/photo.jpg")
        print(image.size)
        // snippet.end
    }

    static func configuration() {
        // snippet.configuration
        ImagePipeline.shared = ImagePipeline {
            $0.dataCache = .disk(path: "/home/me/.cache/images", limit: 500 << 20)
        }
        // snippet.end
    }

    static func request() async throws {
        let pipeline = ImagePipeline.shared
        // snippet.request
        let request = ImageRequest(
            url: "https://example.org/photo.jpg",
            priority: .high,
            targetSize: TargetSize(width: 640, height: 480))
        let response = try await pipeline.imageTask(with: request).response
        print(response.image.size, response.cacheType as Any)
        // snippet.end
    }

    static func sources(data: Data) -> [ImageRequest] {
        // snippet.sources
        let web = ImageRequest(url: "https://example.org/photo.jpg")
        let file = ImageRequest(path: "/home/me/Images/holiday.jpg")
        let bytes = ImageRequest(id: "avatar-17", data: data)
        let made = ImageRequest(id: "cover-3") { () async throws -> Data in
            try Data(contentsOf: URL(filePath: "/srv/covers/3.jpg"))
        }
        // snippet.end
        return [web, file, bytes, made]
    }

    static func watching(_ request: ImageRequest, _ pipeline: ImagePipeline) async {
        // snippet.events
        let task = pipeline.imageTask(with: request)
        for await event in task.events {
            switch event {
            case .progress(let progress): print(progress.fraction)
            case .preview(let early): print("early:", early.image.size)
            case .finished(.success(let response)): print(response.image.size)
            case .finished(.failure(let error)): print(error)
            }
        }
        // snippet.end
    }

    static func failures(_ request: ImageRequest, _ pipeline: ImagePipeline) async {
        // snippet.failures
        do {
            Screen.show(try await pipeline.image(for: request))
        } catch {
            switch error.fault {
            case .cancelled: break
            case .source where error.statusCode == 404: Screen.show("There is no such image.")
            default: Screen.show(error.message)
            }
        }
        // snippet.end
    }

    static func causes(_ error: ImageLoadingError) {
        // snippet.causes
        switch error.underlying {
        case let cause as DataLoadingError where cause.cause == .timeout:
            Screen.show("The server is too slow.")
        case let cause as ImageError where cause.fault == .missing:
            Screen.show("There is no such file.")
        case let cause as ImageError:
            Screen.show("This is no valid \(cause.format?.rawValue ?? "image").")
        default: Screen.show(error.message)
        }
        // snippet.end
    }

    static func callbacks(_ request: ImageRequest, _ pipeline: ImagePipeline) {
        // snippet.callbacks
        let task = pipeline.loadImage(with: request) { result in
            if case .success(let response) = result { Screen.show(response.image) }
        }
        task.cancel()
        // snippet.end
    }

    static func processed() -> ImageRequest {
        // snippet.processed
        let thumbnail = ImageRequest(
            path: "/home/me/Images/holiday.jpg",
            processors: [.resize(size: PixelSize(256), contentMode: .fill, crop: true)])
        // snippet.end
        return thumbnail
    }

    static func scheduling(_ task: ImageTask, _ pipeline: ImagePipeline) {
        // snippet.scheduling
        task.priority = .veryHigh  // of this request, at once
        task.isPaused = true  // counts for nothing …
        task.isPaused = false  // … until now
        pipeline.scheduling.startsNewestFirst = true  // of a pipeline, while it runs
        pipeline.scheduling.transferLimit = 4
        pipeline.scheduling.isSuspended = true
        // snippet.end
    }

    static func limits() -> ImagePipeline {
        // snippet.limits
        let pipeline = ImagePipeline {
            $0.limits.maximumPixels = 50_000_000
            $0.limits.maximumBytes = 32 << 20
            $0.limits.maximumDecodingTime = .seconds(5)
        }
        // snippet.end
        return pipeline
    }

    static func untrusted(_ listedAddress: String) -> ImageRequest {
        // snippet.untrusted
        let request = ImageRequest(url: listedAddress, options: .untrustedAddress)
        // snippet.end
        return request
    }

    static func snapshot(_ pipeline: ImagePipeline) async {
        // snippet.snapshot
        let snapshot = await pipeline.snapshot()
        print(snapshot)
        print(snapshot.memoryHits, snapshot.transfers, snapshot.bytesLoaded)
        // snippet.end
    }
}
