import Firn
import FoundationEssentials

/// What a request costs when loading and decoding cost nothing: CPU time of the whole process, per request, in µs.
///
/// The peer's figures (Nuke's design: an actor, a task and several hops per request) were measured on a machine of this
/// kind, 2 cores; they are constants here, since the original does not run on Linux.
struct RequestBenchmark: Sendable {
    let count: Int
    let rounds: Int

    func run() async throws -> [Figure] {
        [
            figure("request.memoryHit", try await memoryHit(), limit: 0.5, peer: 18),
            figure("request.miss", try await miss(), limit: 6, peer: 30),
            figure("request.duplicate", try await duplicate(), limit: 1.5, peer: 4),
            figure("request.missOneAtATime", try await oneAtATime(), limit: nil, peer: 36),
            figure("request.startAndCancel", try await startAndCancel(), limit: nil, peer: 15),
        ]
    }

    private func figure(_ name: String, _ value: Double, limit: Double?, peer: Double) -> Figure {
        Figure(
            name: name, value: value, unit: "µs", against: "Nuke's design \(peer) µs", ratio: value / peer,
            limit: limit.map { .value($0) })
    }

    private func pipeline(memory: Bool = false) throws -> ImagePipeline {
        let image = try Bitmap(size: PixelSize(width: 4, height: 4)) { _ in }
        var configuration = ImagePipeline.Configuration(
            dataLoader: ImmediateLoader(data: Data([1, 2, 3, 4])), decoders: [ImmediateDecoder(image: image)])
        if memory { configuration.imageCache = ImageCache() }
        return ImagePipeline(configuration: configuration)
    }

    private func requests(_ count: Int) -> [ImageRequest] {
        (0..<count).map { ImageRequest(url: "https://example.org/photographs/\($0).jpg") }
    }

    /// `await pipeline.image(for:)`, 1 000 pictures in turn.
    private func memoryHit() async throws -> Double {
        let pipeline = try pipeline(memory: true)
        let requests = requests(1000)
        for request in requests { _ = try await pipeline.image(for: request) }
        return try await Stopwatch.median(of: rounds) {
            try await Stopwatch.cpu {
                for round in 0..<count * 20 { _ = try await pipeline.image(for: requests[round % 1000]) }
            } / Double(count * 20)
        }
    }

    /// All at once, every address another.
    private func miss() async throws -> Double {
        let requests = requests(count)
        return try await Stopwatch.median(of: rounds) {
            let pipeline = try pipeline()
            return try await Stopwatch.cpu {
                let tasks = requests.map { pipeline.imageTask(with: $0) }
                for task in tasks { _ = try await task.response }
            } / Double(count)
        }
    }

    /// All for one picture that is still loading.
    private func duplicate() async throws -> Double {
        try await Stopwatch.median(of: rounds) {
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
    }

    /// Each waited for before the next is asked for: what the hops between threads cost.
    private func oneAtATime() async throws -> Double {
        let pipeline = try pipeline()
        let requests = requests(count / 4)
        return try await Stopwatch.median(of: rounds) {
            try await Stopwatch.cpu {
                for request in requests { _ = try await pipeline.image(for: request) }
            } / Double(requests.count)
        }
    }

    private func startAndCancel() async throws -> Double {
        let requests = requests(count)
        return await Stopwatch.median(of: rounds) {
            let pipeline = ImagePipeline(
                configuration: ImagePipeline.Configuration(dataLoader: NeverLoader(), decoders: []))
            return await Stopwatch.cpu {
                for request in requests { pipeline.imageTask(with: request).cancel() }
            } / Double(count)
        }
    }
}
