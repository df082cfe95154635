import Firn
import FoundationEssentials

/// What a request costs when loading and decoding cost nothing: CPU time of the whole process, per request.
struct RequestBenchmark {
    let count: Int

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        func wants(_ n: String) -> Bool { CommandLine.arguments.count < 2 || CommandLine.arguments.contains(n) }
        if wants("hit") { figures.append(try await memoryHit()) }
        if wants("miss") { figures.append(try await miss()) }
        if wants("dup") { figures.append(try await duplicate()) }
        if wants("lat") { figures.append(try await latency()) }
        if wants("cancel") { figures.append(startAndCancel()) }
        return figures
    }

    private func pipeline(cache: Bool) throws -> ImagePipeline {
        let image = try Bitmap(size: PixelSize(width: 4, height: 4)) { _ in }
        var configuration = ImagePipeline.Configuration(
            dataLoader: ImmediateLoader(data: Data([1, 2, 3, 4])), decoders: [ImmediateDecoder(image: image)])
        if cache { configuration.imageCache = ImageCache() }
        return ImagePipeline(configuration: configuration)
    }

    private func requests(_ count: Int) -> [ImageRequest] {
        (0..<count).map { ImageRequest(url: "https://example.org/photographs/\($0).jpg") }
    }

    private func memoryHit() async throws -> Figure {
        let pipeline = try pipeline(cache: true)
        let requests = requests(1000)
        for request in requests { _ = try await pipeline.image(for: request) }
        let cost = try await Stopwatch.cpuPerRound(rounds: count * 20) { round in
            _ = try await pipeline.image(for: requests[round % 1000])
        }
        return Figure(name: "request.memoryHit", value: cost, unit: "µs", against: "Nuke's design 18 µs", ratio: cost / 18)
    }

    private func miss() async throws -> Figure {
        let requests = requests(count)
        let cost = try await Stopwatch.median(of: 5) {
            let pipeline = try pipeline(cache: false)
            return try await Stopwatch.cpu {
                let tasks = requests.map { pipeline.imageTask(with: $0) }
                for task in tasks { _ = try await task.response }
            } / Double(count)
        }
        return Figure(name: "request.miss", value: cost, unit: "µs", against: "Nuke's design 30 µs", ratio: cost / 30)
    }

    private func duplicate() async throws -> Figure {
        let requests = requests(count / 100)
        let cost = try await Stopwatch.median(of: 5) {
            let gate = Gate()
            let pipeline = try pipeline(cache: false)
            let held = ImageRequest(id: "held") { await gate.wait(); return Data([1, 2, 3, 4]) }
            _ = requests
            let first = pipeline.imageTask(with: held)
            let cost = try await Stopwatch.cpu {
                let tasks = (0..<count).map { _ in pipeline.imageTask(with: held) }
                gate.open()
                for task in tasks { _ = try await task.response }
            } / Double(count)
            _ = try await first.response
            return cost
        }
        return Figure(
            name: "request.duplicate", value: cost, unit: "µs", against: "Nuke's design 4-14 µs", ratio: cost / 4)
    }

    private func latency() async throws -> Figure {
        let pipeline = try pipeline(cache: false)
        let requests = requests(count / 4)
        let cost = try await Stopwatch.cpuPerRound(rounds: requests.count) { round in
            _ = try await pipeline.image(for: requests[round])
        }
        return Figure(
            name: "request.missOneAtATime", value: cost, unit: "µs", against: "Nuke's design 36 µs", ratio: cost / 36)
    }

    private func startAndCancel() -> Figure {
        let never = NeverLoader()
        let configuration = ImagePipeline.Configuration(dataLoader: never, decoders: [])
        let pipeline = ImagePipeline(configuration: configuration)
        let requests = requests(count)
        let cost = Stopwatch.cpu {
            for request in requests { pipeline.imageTask(with: request).cancel() }
        } / Double(count)
        return Figure(
            name: "request.startAndCancel", value: cost, unit: "µs", against: "Nuke's design 15 µs", ratio: cost / 15)
    }
}
