import Firn
import FoundationEssentials

/// Pipelines whose parts cost nothing, and the work that is measured on them.
enum RequestWorld {
    static func image() throws -> Bitmap { try Bitmap(size: PixelSize(width: 4, height: 4)) { _ in } }

    /// Returns a pipeline that has every image at once.
    static func pipeline(
        memory: Bool = false, observers: [any PipelineObserver] = [], computing: Int? = nil
    ) throws -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            dataLoader: ImmediateLoader(data: Data([1, 2, 3, 4])),
            decoders: [ImmediateDecoder(image: try image())])
        if memory { configuration.imageCache = ImageCache() }
        configuration.observers = observers
        if let computing { configuration.scheduling.computingLimit = computing }
        return ImagePipeline(configuration: configuration)
    }

    /// Returns a pipeline whose images never arrive.
    static func neverPipeline() -> ImagePipeline {
        ImagePipeline(configuration: ImagePipeline.Configuration(dataLoader: NeverLoader(), decoders: []))
    }

    static func requests(_ count: Int) -> [ImageRequest] {
        (0..<count).map { ImageRequest(url: "https://example.org/photographs/\($0).jpg") }
    }

    /// Returns the CPU time for each of `requests`, all different and all at once, in microseconds.
    static func miss(_ requests: [ImageRequest], observers: [any PipelineObserver] = []) async throws -> Double {
        let pipeline = try pipeline(observers: observers)
        return try await Stopwatch.cpu {
            let tasks = requests.map { pipeline.imageTask(with: $0) }
            for task in tasks { _ = try await task.response }
        } / Double(requests.count)
    }

    /// Returns the CPU time for each of `count` requests for one image that is still loading, in microseconds.
    static func duplicate(_ count: Int) async throws -> Double {
        let gate = Gate()
        let pipeline = try pipeline()
        let held = ImageRequest(id: "held") {
            await gate.wait()
            return Data([1, 2, 3, 4])
        }
        let first = pipeline.imageTask(with: held)
        let cost = try await Stopwatch.cpu {
            let tasks = (0..<count).map { _ in pipeline.imageTask(with: held) }
            gate.open()
            for task in tasks { _ = try await task.response }
        }
        _ = try await first.response
        return cost / Double(count)
    }

    /// Returns the CPU time for each of `requests`, started and cancelled, in microseconds.
    static func startAndCancel(_ requests: [ImageRequest]) -> Double {
        let pipeline = neverPipeline()
        return Stopwatch.cpu {
            for request in requests { pipeline.imageTask(with: request).cancel() }
        } / Double(requests.count)
    }

    /// Returns the CPU time for each of `requests`, started and cancelled while `waiting` of them are under way, in
    /// microseconds.
    static func startAndCancel(_ requests: [ImageRequest], waiting: Int) -> Double {
        let pipeline = neverPipeline()
        let tasks = requests.prefix(waiting).map { pipeline.imageTask(with: $0) }
        let last = requests.suffix(100)
        var rounds = 0.0
        let cost = Stopwatch.cpu {
            while rounds < 200 {
                for request in last { pipeline.imageTask(with: request).cancel() }
                rounds += 1
            }
        }
        for task in tasks { task.cancel() }
        return cost / (rounds * Double(last.count))
    }

    /// Returns the memory for each of `requests` while all of them wait, without the requests themselves, in bytes.
    static func memoryOutstanding(_ requests: [ImageRequest]) -> Double {
        let pipeline = neverPipeline()
        let before = HeapUse.bytes
        let tasks = requests.map { pipeline.imageTask(with: $0) }
        let after = HeapUse.bytes
        for task in tasks { task.cancel() }
        return Double(after - before) / Double(requests.count)
    }
}
