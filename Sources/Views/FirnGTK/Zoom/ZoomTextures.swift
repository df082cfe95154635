#if GTK
import Firn

/// Loads the tiles that ``ZoomTiles`` asks for, and keeps their textures.
@MainActor
final class ZoomTextures {
    /// The decisions.
    var state: ZoomTiles
    /// The request for the whole image; `nil` for none.
    var request: ImageRequest?
    /// Called when a tile has arrived or failed.
    var onChange: (() -> Void)?

    /// A part of a tile, in pixels of the tile.
    typealias Part = (area: PixelArea, texture: ImageTexture)
    /// The most columns and rows of a texture.
    private static let textureSide = 256

    private let pipeline: ImagePipeline
    private var tasks: [ZoomTile: ImageTask] = [:]
    private var textures: [ZoomTile: [Part]] = [:]

    init(pipeline: ImagePipeline, budget: Int) {
        self.pipeline = pipeline
        state = ZoomTiles(budget: budget)
    }

    isolated deinit {
        for task in tasks.values { task.cancel() }
        if isMoving { pipeline.listScrolls(false) }
    }

    /// True if the view moves. Decodes then leave a core to the thread that draws.
    var isMoving = false { didSet { if isMoving != oldValue { pipeline.listScrolls(isMoving) } } }

    /// The textures of a tile.
    func parts(of tile: ZoomTile) -> [Part] { textures[tile] ?? [] }

    /// Starts, cancels and drops what the position of the view asks for.
    func update(for view: ZoomState, at time: Double) {
        let plan = state.plan(for: view, at: time)
        for tile in plan.cancel { tasks.removeValue(forKey: tile)?.cancel() }
        for tile in plan.drop { textures[tile] = nil }
        guard let request, let image = view.image else { return }
        let priority = request.priority
        for (tile, task) in tasks {
            let wanted = plan.seen.contains(tile) ? priority : min(priority, .low)
            if task.priority != wanted { task.priority = wanted }
        }
        for tile in plan.load {
            start(tile, tile.request(of: request, image), isSeen: plan.seen.contains(tile))
        }
    }

    /// Cancels all loads, and drops all tiles.
    func clear() {
        cancelLoads()
        textures = [:]
        state.clear()
    }

    /// Cancels all loads. The next update starts those that are needed.
    func cancelLoads() {
        for (tile, task) in tasks {
            _ = state.finish(tile, .cancelled)
            task.cancel()
        }
        tasks = [:]
    }

    private func start(_ tile: ZoomTile, _ request: ImageRequest, isSeen: Bool) {
        var request = request
        if !isSeen { request.priority = min(request.priority, .low) }
        let task = pipeline.imageTask(with: request)
        tasks[tile] = task
        task.onEnd { [weak self] result in
            LoopSignal.shared.call { self?.end(task, tile, result) }
        }
    }

    private func end(_ task: ImageTask, _ tile: ZoomTile, _ result: Result<ImageResponse, ImageLoadingError>) {
        // The result of a load that was cancelled and started again is late.
        guard tasks[tile] === task else { return }
        tasks[tile] = nil
        let image = try? result.get().image
        let parts = image.flatMap { try? ImageTexture.parts(of: $0, side: ZoomTextures.textureSide) }
        let end: ZoomTiles.End = parts.flatMap { _ in image.map { .loaded(bytes: $0.cost) } } ?? .failed
        if state.finish(tile, end) { textures[tile] = parts }
        onChange?()
    }
}

extension ZoomTile {
    /// Returns the request for the tile of an image.
    ///
    /// The view keeps the tiles that it needs, so the memory cache does not keep them, too.
    func request(of whole: ImageRequest, _ image: PixelSize) -> ImageRequest {
        let area = area(in: image)
        let size = size(in: image)
        var request = whole
        if area.size != image {
            request.region = .pixels(x: area.x, y: area.y, width: area.size.width, height: area.size.height)
        }
        if size != area.size {
            // The longer side alone, since the other one follows without another rounding.
            request.targetSize =
                area.size.width >= area.size.height
                ? TargetSize(width: size.width, upscale: true) : TargetSize(height: size.height, upscale: true)
        }
        request.pixelFormat = .rgb8
        request.options.insert(.disableMemoryCacheWrites)
        // The whole image was loaded anew just before.
        request.options.remove(.reloadIgnoringCachedData)
        return request
    }
}
#endif
