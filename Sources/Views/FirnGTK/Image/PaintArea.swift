#if GTK
import CGTK4
import FirnImage

/// The area of a widget that images are painted into.
struct PaintArea {
    /// Width and height in GTK's units.
    let width: Double
    let height: Double
    /// Device pixels for each unit.
    let scale: Double
    /// Corner radius of the painted content, in GTK's units.
    var cornerRadius = 0.0
    /// True if an image takes the whole area, whatever its aspect ratio.
    var stretches = false

    var bounds: graphene_rect_t { graphene_rect_t(x: 0, y: 0, width: width, height: height) }

    /// Returns where an image of this size is painted; parts of it may be outside the area.
    func place(of size: PixelSize, mode: ImageContentMode) -> ImageGeometry {
        stretches ? all : ImageGeometry(size, inWidth: width, height: height, scale: scale, mode: mode)
    }

    /// Paints inside a rectangle, clipped to the area, with round corners if the radius is not 0.
    func clip(to place: ImageGeometry, in snapshot: OpaquePointer, _ paint: () -> Void) {
        guard let visible = place.clipped(toWidth: width, height: height) else { return }
        var rectangle = graphene_rect_t(x: visible.x, y: visible.y, width: visible.width, height: visible.height)
        if cornerRadius > 0 {
            var outline = GskRoundedRect()
            let radius = min(cornerRadius, visible.width / 2, visible.height / 2)
            gsk_rounded_rect_init_from_rect(&outline, &rectangle, Float(radius))
            gtk_snapshot_push_rounded_clip(snapshot, &outline)
        } else if visible != place {
            gtk_snapshot_push_clip(snapshot, &rectangle)
        } else {
            return paint()
        }
        paint()
        gtk_snapshot_pop(snapshot)
    }

    /// The whole area as a rectangle.
    var all: ImageGeometry { ImageGeometry(x: 0, y: 0, width: width, height: height) }
}
#endif
