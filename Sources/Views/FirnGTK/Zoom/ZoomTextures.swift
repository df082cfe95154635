#if GTK
import CGTK4

/// Loads the tiles that ``ZoomTiles`` selects, and keeps their textures.
@MainActor
final class ZoomTextures {
    /// Decides which tiles to load and drop.
    var state: ZoomTiles
    /// The request for the whole image; `nil` for none.
    var request: ImageRequest?
    /// Called when a tile has arrived or failed.
    var onChange: (() -> Void)?

    /// A part of a tile, in pixels of the tile.
    typealias Part = (area: PixelArea, texture: ImageTexture)
    /// The maximum width and height of a texture.
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

    /// True while the view moves. Decodes then leave a core to the drawing thread.
    var isMoving = false { didSet { if isMoving != oldValue { pipeline.listScrolls(isMoving) } } }

    /// The textures of a tile.
    func parts(of tile: ZoomTile) -> [Part] { textures[tile] ?? [] }

    /// Starts, cancels and drops tiles for the position of the view.
    func update(for view: ZoomState, at time: Double) {
        let plan = state.plan(for: view, at: time)
        for tile in plan.cancel { tasks.removeValue(forKey: tile)?.cancel() }
        for tile in plan.drop { textures[tile] = nil }
        guard let request, let image = view.image else { return }
        func priority(of tile: ZoomTile) -> ImageRequest.Priority {
            plan.seen.contains(tile) ? request.priority : min(request.priority, .low)
        }
        for (tile, task) in tasks where task.priority != priority(of: tile) { task.priority = priority(of: tile) }
        for tile in plan.load {
            var request = tile.request(of: request, image)
            request.priority = priority(of: tile)
            let task = pipeline.imageTask(with: request)
            tasks[tile] = task
            task.onEnd { [weak self] result in
                LoopSignal.shared.call { self?.end(task, tile, result) }
            }
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
        state.cancelLoads()
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }

    private func end(_ task: ImageTask, _ tile: ZoomTile, _ result: Result<ImageResponse, ImageLoadingError>) {
        // Ignores the late result of a load that was cancelled and restarted.
        guard tasks[tile] === task else { return }
        tasks[tile] = nil
        let image = try? result.get().image
        let parts = image.flatMap { try? ImageTexture.parts(of: $0, side: ZoomTextures.textureSide) }
        if state.finish(tile, bytes: parts.flatMap { _ in image?.cost }) { textures[tile] = parts }
        onChange?()
    }
}

extension ZoomTile {
    /// Returns the request for the tile of an image.
    ///
    /// Tiles are not stored in the memory cache, since the view keeps those that it needs.
    func request(of whole: ImageRequest, _ image: PixelSize) -> ImageRequest {
        let area = area(in: image)
        let size = size(in: image)
        var request = whole
        if area.size != image {
            request.region = .pixels(x: area.x, y: area.y, width: area.size.width, height: area.size.height)
        }
        if size != area.size {
            // Only the longer side, so that the other is rounded once.
            request.targetSize =
                area.size.width >= area.size.height
                ? TargetSize(width: size.width, upscale: true) : TargetSize(height: size.height, upscale: true)
        }
        request.pixelFormat = .rgb8
        request.options.insert(.disableMemoryCacheWrites)
        // The whole image has just been reloaded.
        request.options.remove(.reloadIgnoringCachedData)
        return request
    }
}

// Painting of the widget.
extension FirnZoomView {
    /// Paints tiles where they are loaded and the whole image elsewhere, then the overlay.
    func paint(into snapshot: OpaquePointer) {
        if state.isReady {
            gtk_snapshot_save(snapshot)
            let local = transformToImage(in: snapshot)
            if showsCheckerboard, binding.phase.response?.image.isOpaque == false {
                paintCheckerboard(into: snapshot, local)
            }
            paintPieces(into: snapshot, local)
            gtk_snapshot_restore(snapshot)
        } else {
            gtk_widget_snapshot_child(widget, whole.widget, snapshot)
        }
        overlay?(snapshot)
    }

    /// Sets screen pixels as units, and the sides of the image as axes.
    ///
    /// - Returns: the position of the image's first corner. It is not part of the transform, because positions in a
    ///   large image are not exact as floats.
    private func transformToImage(in snapshot: OpaquePointer) -> ZoomState.Point {
        let unit = Float(1 / screenScale)
        if unit != 1 { gtk_snapshot_scale(snapshot, unit, unit) }
        let pivot = (state.room / 2).rounded(.down)
        var point = graphene_point_t(x: Float(pivot.x), y: Float(pivot.y))
        gtk_snapshot_translate(snapshot, &point)
        if state.turns != 0 { gtk_snapshot_rotate(snapshot, Float(state.turns * 90)) }
        return state.unturned(state.origin - pivot)
    }

    /// Paints a checkerboard in the visible part of the image. Its squares are fixed to the widget.
    private func paintCheckerboard(into snapshot: OpaquePointer, _ local: ZoomState.Point) {
        let (first, last) = state.visible
        var bounds = rectangle(first, last, local)
        let side = 8 * screenScale
        var pattern = graphene_rect_t(x: 0, y: 0, width: side * 2, height: side * 2)
        gtk_snapshot_push_repeat(snapshot, &bounds, &pattern)
        var light = GdkRGBA(red: 0.6, green: 0.6, blue: 0.6, alpha: 1)
        var dark = GdkRGBA(red: 0.4, green: 0.4, blue: 0.4, alpha: 1)
        gtk_snapshot_append_color(snapshot, &light, &pattern)
        for place in [0, side] {
            var square = graphene_rect_t(x: place, y: place, width: side, height: side)
            gtk_snapshot_append_color(snapshot, &dark, &square)
        }
        gtk_snapshot_pop(snapshot)
    }

    private func paintPieces(into snapshot: OpaquePointer, _ local: ZoomState.Point) {
        let pieces = tiles.state.pieces(for: state)
        guard pieces.contains(where: { !$0.tiles.isEmpty }) else { return paintWhole(into: snapshot, local) }
        guard let image = state.image else { return }
        for piece in pieces {
            var bounds = rectangle(piece.area, local)
            if piece.tiles.count == 1, let tile = piece.tiles.first, tile.area(in: image) == piece.area {
                paint(tile, image, into: snapshot, local)
                continue
            }
            gtk_snapshot_push_clip(snapshot, &bounds)
            if piece.tiles.isEmpty { paintWhole(into: snapshot, local) }
            for tile in piece.tiles { paint(tile, image, into: snapshot, local) }
            gtk_snapshot_pop(snapshot)
        }
    }

    private func paint(
        _ tile: ZoomTile, _ image: PixelSize, into snapshot: OpaquePointer, _ local: ZoomState.Point
    ) {
        let (area, size) = (tile.area(in: image), tile.size(in: image))
        let step = ZoomState.Point(area.size.width, area.size.height) / ZoomState.Point(size.width, size.height)
        let corner = ZoomState.Point(area.x, area.y)
        let (first, last) = state.visible
        for part in tiles.parts(of: tile) {
            let start = corner + ZoomState.Point(part.area.x, part.area.y) * step
            let end = start + ZoomState.Point(part.area.size.width, part.area.size.height) * step
            guard start.x < last.x, start.y < last.y, end.x > first.x, end.y > first.y else { continue }
            var bounds = rectangle(start, end, local)
            let isMuchSmaller = bounds.size.width * 2 < Float(part.texture.size.width)
            let filter = paintsPixels ? FIRN_FILTER_NEAREST : isMuchSmaller ? FIRN_FILTER_MIPMAPS : FIRN_FILTER_LINEAR
            firn_gtk_snapshot_append_texture(snapshot, part.texture.pointer, &bounds, filter)
        }
    }

    private func paintWhole(into snapshot: OpaquePointer, _ local: ZoomState.Point) {
        guard let image = state.image else { return }
        let bounds = rectangle(PixelArea(image), local)
        let (width, height) = (gtk_widget_get_width(whole.widget), gtk_widget_get_height(whole.widget))
        guard width > 0, height > 0 else { return }
        gtk_snapshot_save(snapshot)
        var corner = bounds.origin
        gtk_snapshot_translate(snapshot, &corner)
        gtk_snapshot_scale(snapshot, bounds.size.width / Float(width), bounds.size.height / Float(height))
        gtk_widget_snapshot_child(widget, whole.widget, snapshot)
        gtk_snapshot_restore(snapshot)
    }

    /// Returns the rectangle of a part of the image in whole pixels, so that neighbors meet without a seam.
    private func rectangle(_ area: PixelArea, _ local: ZoomState.Point) -> graphene_rect_t {
        let start = ZoomState.Point(area.x, area.y)
        return rectangle(start, start + ZoomState.Point(area.size.width, area.size.height), local)
    }

    private func rectangle(
        _ first: ZoomState.Point, _ last: ZoomState.Point, _ local: ZoomState.Point
    ) -> graphene_rect_t {
        func edge(_ point: ZoomState.Point) -> ZoomState.Point {
            (point * state.scale).rounded(.toNearestOrAwayFromZero) + local
        }
        let (start, end) = (edge(first), edge(last))
        // At least one pixel: a side of a long, thin image may be shorter, which GTK cannot paint.
        return graphene_rect_t(x: start.x, y: start.y, width: max(1, end.x - start.x), height: max(1, end.y - start.y))
    }
}
#endif
