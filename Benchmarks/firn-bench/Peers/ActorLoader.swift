import Firn
import FoundationEssentials

/// A small image loader built as one actor with a task for each request: the peer of the request figures.
///
/// Models the usual design of image loaders in Swift. One actor owns the memory cache, the table of running loads, and
/// the reads of its data cache. A request is an unstructured `Task` that enters the actor, joins the running load of
/// its address or starts one, and waits for that load's own `Task`. Bytes come from a `DataLoading` and pixels from an
/// `ImageDecoding`, as in Firn; loading and decoding run outside the actor.
///
/// It omits priorities, limits of concurrency, processors, retries, progress, previews and HTTP caching, which makes it
/// faster.
actor ActorLoader {
    /// A load that requests of one address share.
    private struct Load {
        let task: Task<Bitmap, any Error>
        var subscribers = 0
    }

    private let loader: any DataLoading
    private let decoder: any ImageDecoding
    /// The folder of the data cache, with one file for each entry; `nil` for no data cache.
    private let folder: String?
    private let keepsImages: Bool
    private var images: [String: Bitmap] = [:]
    private var loads: [String: Load] = [:]
    /// The number of requests that have entered the actor.
    private(set) var entered = 0

    init(
        loader: any DataLoading, decoder: any ImageDecoding, folder: String? = nil, keepsImages: Bool = false
    ) {
        self.loader = loader
        self.decoder = decoder
        self.folder = folder
        self.keepsImages = keepsImages
    }

    /// Starts a request. Cancelling the task ends its wait, and ends the load if no other request needs it.
    nonisolated func task(for url: String) -> Task<Bitmap, any Error> {
        Task { try await self.image(for: url) }
    }

    /// Returns the image at an address.
    func image(for url: String) async throws -> Bitmap {
        entered += 1
        if let image = images[url] { return image }
        if let data = stored(url) { return try await decode(data) }
        let load = join(url)
        return try await withTaskCancellationHandler {
            try await load.value
        } onCancel: {
            Task { await self.leave(url) }
        }
    }

    /// Waits until `count` requests have entered the actor.
    func waitForRequests(_ count: Int) async {
        while entered < count { await Task.yield() }
    }

    private func join(_ url: String) -> Task<Bitmap, any Error> {
        var load = loads[url] ?? Load(task: Task { try await self.load(url) })
        load.subscribers += 1
        loads[url] = load
        return load.task
    }

    private func leave(_ url: String) {
        guard var load = loads[url] else { return }
        load.subscribers -= 1
        loads[url] = load.subscribers > 0 ? load : nil
        if load.subscribers == 0 { load.task.cancel() }
    }

    private func load(_ url: String) async throws -> Bitmap {
        defer { loads[url] = nil }
        let image = try await decode(ActorReception.bytes(of: DataRequest(url: url), from: loader))
        if keepsImages { images[url] = image }
        return image
    }

    /// Returns an entry of the data cache. Blocks the actor while it reads the file, which is the point of the model.
    private func stored(_ url: String) -> Data? {
        guard let folder, let name = url.split(separator: "/").last else { return nil }
        return try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
    }

    @concurrent private nonisolated func decode(_ data: Data) async throws -> Bitmap {
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return try session.decode(DecodingOptions())
    }
}
