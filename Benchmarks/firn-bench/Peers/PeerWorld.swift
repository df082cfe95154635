import Firn
import FoundationEssentials

/// Peers built on the parts that ``RequestWorld`` gives to pipelines, measured by the same tasks as Firn.
enum PeerWorld {
    /// Returns a loader that has every image at once.
    static func loader(keepsImages: Bool = false, folder: String? = nil) throws -> ActorLoader {
        ActorLoader(
            loader: ImmediateLoader(data: Data([1, 2, 3, 4])),
            decoder: ImmediateDecoder(image: try RequestWorld.image()), folder: folder, keepsImages: keepsImages)
    }

    /// Returns a loader whose images never arrive.
    static func neverLoader() throws -> ActorLoader {
        ActorLoader(loader: NeverLoader(), decoder: ImmediateDecoder(image: try RequestWorld.image()))
    }

    static func urls(_ count: Int) -> [String] {
        (0..<count).map { "https://example.org/photographs/\($0).jpg" }
    }

    /// Returns the CPU time for each of `urls`, all different and all at once, in microseconds.
    static func miss(_ urls: [String]) async throws -> Double {
        let loader = try loader()
        return try await Stopwatch.cpu {
            let tasks = urls.map { loader.task(for: $0) }
            for task in tasks { _ = try await task.value }
        } / Double(urls.count)
    }

    /// Returns the CPU time for each of `count` requests for one image that is still loading, in microseconds.
    static func duplicate(_ count: Int) async throws -> Double {
        let gate = Gate()
        let loader = ActorLoader(
            loader: GatedLoader(data: Data([1, 2, 3, 4]), gate: gate),
            decoder: ImmediateDecoder(image: try RequestWorld.image()))
        let first = loader.task(for: "held")
        await loader.waitForRequests(1)
        let cost = try await Stopwatch.cpu {
            let tasks = (0..<count).map { _ in loader.task(for: "held") }
            gate.open()
            for task in tasks { _ = try await task.value }
        }
        _ = try await first.value
        return cost / Double(count)
    }

    /// Returns the CPU time of starting and then cancelling all of `urls`, in microseconds.
    ///
    /// - Parameter isEach: whether each request is cancelled before the next one starts.
    static func startAndCancel(_ urls: [String], isEach: Bool) async throws -> Double {
        let loader = try neverLoader()
        return await Stopwatch.cpu {
            let tasks = urls.map { url in
                let task = loader.task(for: url)
                if isEach { task.cancel() }
                return task
            }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
    }

    /// Returns the memory for each of `urls` while all of them wait, in bytes.
    static func memoryOutstanding(_ urls: [String]) async throws -> Double {
        let loader = try neverLoader()
        let before = HeapUse.bytes
        let tasks = urls.map { loader.task(for: $0) }
        await loader.waitForRequests(urls.count)
        let after = HeapUse.bytes
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        return Double(after - before) / Double(urls.count)
    }
}

/// A loader that delivers the bytes once a gate is open.
private struct GatedLoader: DataLoading {
    let data: Data
    let gate: Gate

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        Task {
            await gate.wait()
            receive(.chunk(data))
            receive(.end(nil))
        }
        return Running()
    }

    private struct Running: DataTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
    }
}
