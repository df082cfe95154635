public import CGTK4
public import FirnImage
import FirnPipeline

/// A widget that shows a picture: it asks for it at the size it is shown at, shows something until it is there, and lets
/// go of it when it shows another one.
///
/// ```swift
/// let picture = FirnPicture()
/// picture.request = ImageRequest(url: "https://example.org/photo.jpg")
/// gtk_box_append(box, picture.widget)
/// ```
/// The widget takes the size it is given; without one it is as large as ``naturalSize`` says. Its CSS name is `firnpicture`,
/// and to assistive technology it is an image: labelled with ``alternativeText``, busy while it loads.
@MainActor
public final class FirnPicture {
    /// The widget, to be put into a window. Valid as long as this object; the widget keeps this object while it is in use.
    public let widget: UnsafeMutablePointer<GtkWidget>
    private var ownership: WidgetOwnership?

    /// How large the widget would like to be, in GTK's units. Default: no size of its own.
    public var naturalSize: PixelSize? { didSet { gtk_widget_queue_resize(widget) } }

    /// The radius of the corners, in GTK's units. Default: 0.
    public var cornerRadius = 0.0 { didSet { if cornerRadius != oldValue { redraw() } } }

    /// What the picture shows, in words.
    public var alternativeText: String? {
        didSet { if alternativeText != oldValue { accessibility.label(alternativeText) } }
    }

    // What is painted.
    private var layer = PictureLayer.nothing
    private var mode = ContentMode.fit
    private var former: (layer: PictureLayer, mode: ContentMode)?
    private var fade: CrossFade?
    private var tick: guint = 0
    private(set) var isMapped = false
    let accessibility: PictureAccessibility

    /// An empty picture.
    public init() {
        GTKLibrary.start()
        guard let widget = PictureWidgetType.make() else { fatalError("GTK made no widget") }
        self.widget = widget
        accessibility = PictureAccessibility(widget)
        PictureWidgetType.slot(widget).pointee = Unmanaged.passUnretained(self).toOpaque()
        ownership = WidgetOwnership(widget, owner: self)
    }

    isolated deinit {
        stopPlaying()
        stopTicking()
        PictureWidgetType.slot(widget).pointee = nil
        ownership?.end()
    }

    /// The picture of a widget that is one.
    public static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> FirnPicture? {
        guard
            g_type_check_instance_is_a(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), PictureWidgetType.type)
                != 0
        else { return nil }
        return PictureWidgetType.picture(of: widget)
    }

    // MARK: What is shown

    /// Shows something else from now on.
    func show(_ new: PictureLayer, mode newMode: ContentMode, fadingFor duration: Duration? = nil) {
        guard !new.isSame(as: layer) || mode != newMode else { return }
        stopPlaying()
        if let duration, isMapped, GTKLibrary.isAnimating(widget), let now = frameTime() {
            former = (layer, mode)
            fade = CrossFade(
                start: now,
                duration: duration.components.seconds * 1_000_000
                    + duration.components.attoseconds / 1_000_000_000_000)
        } else {
            former = nil
            fade = nil
        }
        layer = new
        mode = newMode
        if isMapped { startPlaying() }
        updateTicking()
        redraw()
    }

    private func redraw() { gtk_widget_queue_draw(widget) }

    /// Paints what is shown.
    func paint(into snapshot: OpaquePointer) {
        let width = Double(gtk_widget_get_width(widget))
        let height = Double(gtk_widget_get_height(widget))
        guard width > 0, height > 0 else { return }
        let scale = Double(gtk_widget_get_scale_factor(widget))
        if cornerRadius > 0 {
            var bounds = graphene_rect_t(x: 0, y: 0, width: width, height: height)
            var outline = GskRoundedRect()
            gsk_rounded_rect_init_from_rect(&outline, &bounds, Float(min(cornerRadius, width / 2, height / 2)))
            gtk_snapshot_push_rounded_clip(snapshot, &outline)
        }
        if let former, let fade, let now = frameTime() {
            gtk_snapshot_push_cross_fade(snapshot, fade.progress(at: now))
            former.layer.paint(into: snapshot, width: width, height: height, scale: scale, mode: former.mode)
            gtk_snapshot_pop(snapshot)
            layer.paint(into: snapshot, width: width, height: height, scale: scale, mode: mode)
            gtk_snapshot_pop(snapshot)
        } else {
            layer.paint(into: snapshot, width: width, height: height, scale: scale, mode: mode)
        }
        if cornerRadius > 0 { gtk_snapshot_pop(snapshot) }
    }

    // MARK: The frame clock

    private func frameTime() -> Int64? {
        gtk_widget_get_frame_clock(widget).map { Int64(gdk_frame_clock_get_frame_time($0)) }
    }

    private func startPlaying() {
        guard case .animation(let player) = layer else { return }
        player.start()
        _ = player.advance()
    }

    private func stopPlaying() {
        if case .animation(let player) = layer { player.stop() }
    }

    /// Whether something changes with time.
    private var isMoving: Bool {
        if fade != nil { return true }
        if case .animation(let player) = layer { return !player.isFinished }
        return false
    }

    private func updateTicking() {
        guard isMapped, isMoving else { return stopTicking() }
        guard tick == 0 else { return }
        let call: @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>?, OpaquePointer?, gpointer?) -> gboolean =
            {
                widget, _, _ in
                PictureWidgetType.picture(of: widget)?.wasTicked()
                return gboolean(1)
            }
        tick = gtk_widget_add_tick_callback(widget, unsafeBitCast(call, to: GtkTickCallback.self), nil, nil)
    }

    private func stopTicking() {
        guard tick != 0 else { return }
        gtk_widget_remove_tick_callback(widget, tick)
        tick = 0
    }

    private func wasTicked() {
        var isChanged = false
        if let fade, let now = frameTime() {
            isChanged = true
            if fade.isOver(at: now) {
                self.fade = nil
                former = nil
            }
        }
        if case .animation(let player) = layer, player.advance() { isChanged = true }
        if isChanged { redraw() }
        updateTicking()
    }

    // MARK: The widget's life

    func wasMapped() {
        isMapped = true
        startPlaying()
        updateTicking()
    }

    func wasUnmapped() {
        isMapped = false
        stopPlaying()
        former = nil
        fade = nil
        updateTicking()
    }

    func wasResized(width: Int, height: Int) {}
}
