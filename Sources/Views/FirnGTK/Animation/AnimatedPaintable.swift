#if GTK
public import CGTK4
public import Firn

/// An animation as a `GdkPaintable`, for `GtkPicture`, `GtkImage` and every other widget that paints one.
///
/// ```swift
/// let moving = AnimatedPaintable(animation)
/// let image = gtk_picture_new_for_paintable(moving.pointer)
/// if let image { moving.attach(to: image) }
/// ```
/// Plays with the frame clock of the widget that it is attached to, while a part of that widget can be seen: it is
/// mapped, not scrolled away, and its window is not minimized. Then it goes on where it was. Several paintables of one
/// ``/FirnAnimation/AnimatedImage`` share its frames.
@MainActor
public final class AnimatedPaintable {
    /// The `GdkPaintable`. Valid as long as this object lives or the program holds a reference; the paintable retains
    /// what it paints.
    public let pointer: OpaquePointer

    private let player: AnimationPlayer
    private var widget: UnsafeMutablePointer<GtkWidget>?
    private var ticks = FrameTicks()
    private var watch: VisibilityWatch?
    private var handlers: [gulong] = []

    /// Creates a stopped paintable. It shows the first frame once it is attached.
    public init(_ animation: AnimatedImage) {
        GTKLibrary.start()
        player = AnimationPlayer(animation)
        let object = PaintableType.type.make()
        pointer = OpaquePointer(object)
        PaintableType.slot(object).pointee = Unmanaged.passRetained(player).toOpaque()
    }

    isolated deinit {
        detach()
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Attaches the paintable to a widget: plays with the widget's frame clock while the widget can be seen. Detaches
    /// it from any previous widget.
    public func attach(to widget: UnsafeMutablePointer<GtkWidget>) {
        detach()
        self.widget = widget
        let watch = VisibilityWatch(widget) { [weak self] in $0 ? self?.start() : self?.stop() }
        self.watch = watch
        let object = UnsafeMutableRawPointer(widget)
        handlers = [
            SignalClosure.connect(object, "map") { [weak watch] in AfterLayout.run { [weak watch] in watch?.start() } },
            SignalClosure.connect(object, "unmap") { [weak watch] in watch?.stop() },
            // The widget may end before this object does.
            SignalClosure.connect(object, "destroy") { [weak self] in self?.forget() },
        ]
        if gtk_widget_get_mapped(widget) != 0 { watch.start() }
    }

    /// Stops playing and detaches from the widget; the current frame stays visible.
    public func detach() {
        stop()
        if let widget {
            for handler in handlers { g_signal_handler_disconnect(UnsafeMutableRawPointer(widget), handler) }
        }
        forget()
    }

    private func forget() {
        watch?.stop()
        watch = nil
        stop()
        handlers = []
        widget = nil
    }

    private func start() {
        guard let widget, !ticks.isOn else { return }
        player.start()
        advance()
        ticks.start(widget) { [weak self] in self?.advance() }
    }

    private func stop() {
        player.stop()
        if let widget { ticks.stop(widget) }
    }

    private func advance() {
        let size = player.texture?.size
        guard player.advance() else { return }
        if player.texture?.size != size { gdk_paintable_invalidate_size(pointer) }
        gdk_paintable_invalidate_contents(pointer)
    }
}
#endif
