#if GTK
import CFirnAdwaita
import FirnGTK

/// Lets an image grow from its cell to the viewer, and shrink back, over the pages that it connects.
///
/// libadwaita skips the animation if the user's settings reduce motion.
@MainActor
final class CellTransition {
    /// The overlay over the pages.
    let widget: Widget = gtk_overlay_new()
    private var run: Run?

    private static let milliseconds: guint = 200

    /// A rectangle in the overlay.
    struct Place: Equatable {
        var (x, y, width, height) = (0.0, 0.0, 0.0, 0.0)

        /// The rectangle of an image that fits into this one, and is not larger than the image's own pixels.
        func fitted(_ image: ImageContainer, _ screenScale: Double) -> Place {
            let size = image.image.size
            guard !size.isEmpty else { return self }
            let own = Double(image.originalSize?.width ?? size.width) / Double(size.width) / screenScale
            let room = min(width / Double(size.width), height / Double(size.height))
            let scale = image.vectorSize == nil ? min(room, own) : room
            let (across, along) = (Double(size.width) * scale, Double(size.height) * scale)
            return Place(x: x + (width - across) / 2, y: y + (height - along) / 2, width: across, height: along)
        }
    }

    /// Retains the moving widget: an animation that another one replaces goes on after the widget was removed.
    private final class Run {
        let moving: Widget
        let from: Place
        let to: Place

        init(_ moving: Widget, _ from: Place, _ to: Place) {
            (self.moving, self.from, self.to) = (moving, from, to)
            g_object_ref_sink(moving)
        }

        deinit { g_object_unref(moving) }
    }

    /// Returns where a widget is; `nil` before it has a place.
    func place(of inner: Widget) -> Place? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(inner, widget, &bounds) != 0, bounds.size.width > 0, bounds.size.height > 0
        else { return nil }
        return Place(
            x: Double(bounds.origin.x), y: Double(bounds.origin.y), width: Double(bounds.size.width),
            height: Double(bounds.size.height))
    }

    /// Moves an image from one place to another.
    func move(_ image: Bitmap, from: Place, to: Place) {
        end()
        guard from != to, let texture = try? ImageTexture.of(image) else { return }
        let moving: Widget = gtk_picture_new_for_paintable(texture.pointer)
        gtk_picture_set_content_fit(moving.opaque, GTK_CONTENT_FIT_COVER)
        gtk_widget_set_can_target(moving, 0)
        gtk_widget_set_halign(moving, GTK_ALIGN_START)
        gtk_widget_set_valign(moving, GTK_ALIGN_START)
        gtk_widget_set_overflow(moving, GTK_OVERFLOW_HIDDEN)
        let run = Run(moving, from, to)
        self.run = run
        CellTransition.show(run, 0)
        gtk_overlay_add_overlay(widget.opaque, moving)
        let call: @MainActor @convention(c) (Double, gpointer?) -> Void = { part, context in
            guard let context else { return }
            CellTransition.show(Unmanaged<Run>.fromOpaque(context).takeUnretainedValue(), part)
        }
        let target = adw_callback_animation_target_new(
            unsafeBitCast(call, to: AdwAnimationTargetFunc.self), Unmanaged.passRetained(run).toOpaque(),
            { context in if let context { Unmanaged<Run>.fromOpaque(context).release() } })
        guard let animation = adw_timed_animation_new(widget, 0, 1, CellTransition.milliseconds, target) else { return }
        let object = UnsafeMutableRawPointer(animation)
        SignalClosure.connect(object, "done") { [weak self, weak run] in
            if let self, self.run === run { self.end() }
            g_object_unref(object)
        }
        adw_animation_play(animation)
    }

    private func end() {
        guard let run else { return }
        self.run = nil
        gtk_overlay_remove_overlay(widget.opaque, run.moving)
    }

    private static func show(_ run: Run, _ part: Double) {
        func mixed(_ side: KeyPath<Place, Double>) -> gint {
            let (from, to) = (run.from[keyPath: side], run.to[keyPath: side])
            return gint(max(0, from + (to - from) * part))
        }
        gtk_widget_set_margin_start(run.moving, mixed(\.x))
        gtk_widget_set_margin_top(run.moving, mixed(\.y))
        gtk_widget_set_size_request(run.moving, mixed(\.width), mixed(\.height))
    }
}
#endif
