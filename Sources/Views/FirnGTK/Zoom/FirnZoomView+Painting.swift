#if GTK
import CGTK4
import Firn

// Painting of the widget.
extension FirnZoomView {
    /// Paints the image: tiles where there are some, the whole image elsewhere; then the overlay.
    func paint(into snapshot: OpaquePointer) {
        if state.isReady {
            gtk_snapshot_save(snapshot)
            let local = placeImage(in: snapshot)
            paintPieces(into: snapshot, local)
            gtk_snapshot_restore(snapshot)
        } else {
            gtk_widget_snapshot_child(widget, whole.widget, snapshot)
        }
        overlay?(snapshot)
    }

    /// Makes pixels of the screen the units, and the sides of the image the axes.
    ///
    /// - Returns: the place of the image's first corner. It is not part of the transform, since coordinates are floats,
    ///   in which a place in a large image is not exact.
    private func placeImage(in snapshot: OpaquePointer) -> ZoomState.Point {
        let unit = Float(1 / screenScale)
        if unit != 1 { gtk_snapshot_scale(snapshot, unit, unit) }
        let pivot = (state.room / 2).rounded(.down)
        var point = graphene_point_t(x: Float(pivot.x), y: Float(pivot.y))
        gtk_snapshot_translate(snapshot, &point)
        if state.turns != 0 { gtk_snapshot_rotate(snapshot, Float(state.turns * 90)) }
        return state.unturned(state.origin - pivot)
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
        let step = ZoomState.Point(
            Double(area.size.width) / Double(size.width), Double(area.size.height) / Double(size.height))
        let corner = ZoomState.Point(Double(area.x), Double(area.y))
        let (first, last) = state.visible
        for part in tiles.parts(of: tile) {
            let start = corner + ZoomState.Point(Double(part.area.x), Double(part.area.y)) * step
            let length = ZoomState.Point(Double(part.area.size.width), Double(part.area.size.height)) * step
            let end = start + length
            guard start.x < last.x, start.y < last.y, end.x > first.x, end.y > first.y else { continue }
            var bounds = rectangle(start, end, local)
            let isMuchSmaller = bounds.size.width * 2 < Float(part.texture.size.width)
            firn_gtk_snapshot_append_texture(snapshot, part.texture.pointer, &bounds, isMuchSmaller ? 1 : 0)
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

    /// Returns the place of a part of the image in whole pixels, so that neighbors meet without a seam.
    private func rectangle(_ area: PixelArea, _ local: ZoomState.Point) -> graphene_rect_t {
        let start = ZoomState.Point(Double(area.x), Double(area.y))
        return rectangle(
            start, start + ZoomState.Point(Double(area.size.width), Double(area.size.height)), local)
    }

    private func rectangle(
        _ first: ZoomState.Point, _ last: ZoomState.Point, _ local: ZoomState.Point
    ) -> graphene_rect_t {
        func edge(_ point: ZoomState.Point) -> ZoomState.Point {
            (point * state.scale).rounded(.toNearestOrAwayFromZero) + local
        }
        let (start, end) = (edge(first), edge(last))
        return graphene_rect_t(x: start.x, y: start.y, width: end.x - start.x, height: end.y - start.y)
    }
}
#endif
