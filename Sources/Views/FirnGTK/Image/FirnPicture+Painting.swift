#if GTK
import CGTK4
import FirnBinding
import FirnImage

// Painting of the widget.
extension FirnPicture {
    func redraw() { gtk_widget_queue_draw(widget) }

    /// Paints the current content.
    func paint(into snapshot: OpaquePointer) {
        let area = PaintArea(
            width: Double(gtk_widget_get_width(widget)), height: Double(gtk_widget_get_height(widget)),
            scale: Double(gtk_widget_get_scale_factor(widget)), cornerRadius: max(0, cornerRadius), stretches: stretches
        )
        guard area.width > 0, area.height > 0 else { return }
        if let former, let transition, let now = frameTime() {
            let frame = transition.frame(at: now)
            if transition.transition.isFade {
                paintFade(frame.opacity, from: former, into: snapshot, area)
            } else {
                paint(frame, over: former, into: snapshot, area)
            }
        } else {
            layer.paint(into: snapshot, area, mode: mode)
        }
        if let progress {
            area.clip(to: area.all, in: snapshot) {
                ImageLayer.paintProgress(progress, into: snapshot, width: area.width, height: area.height)
            }
        }
    }

    private func paintFade(
        _ progress: Double, from former: (layer: ImageLayer, mode: ImageContentMode), into snapshot: OpaquePointer,
        _ area: PaintArea
    ) {
        if let veil = former.layer.veil(progress) {
            layer.paint(into: snapshot, area, mode: mode)
            veil.paint(into: snapshot, area, mode: former.mode)
        } else if layer.covers(area, mode: mode) {
            // The former image shows through the new one while the new one becomes opaque. The pixels are those of a
            // cross-fade, with one off-screen painting instead of two.
            former.layer.paint(into: snapshot, area, mode: former.mode)
            gtk_snapshot_push_opacity(snapshot, progress)
            layer.paint(into: snapshot, area, mode: mode)
            gtk_snapshot_pop(snapshot)
        } else {
            gtk_snapshot_push_cross_fade(snapshot, progress)
            former.layer.paint(into: snapshot, area, mode: former.mode)
            gtk_snapshot_pop(snapshot)
            layer.paint(into: snapshot, area, mode: mode)
            gtk_snapshot_pop(snapshot)
        }
    }

    /// Paints one moment of the program's transition animation, clipped to the widget's bounds.
    private func paint(
        _ frame: ImageTransition.Frame, over former: (layer: ImageLayer, mode: ImageContentMode),
        into snapshot: OpaquePointer, _ area: PaintArea
    ) {
        var bounds = area.bounds
        gtk_snapshot_push_clip(snapshot, &bounds)
        if frame.formerOpacity > 0 {
            gtk_snapshot_push_opacity(snapshot, frame.formerOpacity)
            former.layer.paint(into: snapshot, area, mode: former.mode)
            gtk_snapshot_pop(snapshot)
        }
        if frame.opacity > 0, frame.scale > 0 {
            gtk_snapshot_push_opacity(snapshot, frame.opacity)
            gtk_snapshot_save(snapshot)
            var center = graphene_point_t(
                x: Float(area.width * (0.5 + frame.x)), y: Float(area.height * (0.5 + frame.y)))
            gtk_snapshot_translate(snapshot, &center)
            gtk_snapshot_scale(snapshot, Float(frame.scale), Float(frame.scale))
            var corner = graphene_point_t(x: Float(-area.width / 2), y: Float(-area.height / 2))
            gtk_snapshot_translate(snapshot, &corner)
            layer.paint(into: snapshot, area, mode: mode)
            gtk_snapshot_restore(snapshot)
            gtk_snapshot_pop(snapshot)
        }
        gtk_snapshot_pop(snapshot)
    }
}
#endif
