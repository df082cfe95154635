#if GTK
public import CGTK4
import FirnSync
public import FoundationEssentials

/// A widget that shows an image of any size and lets the user zoom, move and rotate it.
///
/// ```swift
/// let view = FirnZoomView("file:///maps/city.tif")
/// box.append(view)
/// ```
/// Loads only the visible tiles at the current scale, as regions of the image. A coarser tile is shown until the right
/// one is loaded. Vector images are rendered anew at each scale. Animations play. Images smaller than the widget are
/// shown 1:1; those of less than 16 pixels are enlarged up to that.
///
/// | input | does |
/// |---|---|
/// | pinch; wheel; Control and scrolling | zooms at the pointer |
/// | drag; two fingers on a touchpad | moves the image, with momentum |
/// | double click, double tap | one screen pixel per image pixel, and back to the whole image |
/// | `+` `-`, `0`, `1`, `2` | zooms; whole image; 1:1; fills the widget |
/// | arrows, Home, End | moves the image, if it extends beyond the widget |
/// | Control+R, Control+Shift+R | rotates the image |
///
/// All of these are actions of the widget, also for assistive technology: `zoom.in`, `zoom.out`, `zoom.fit`,
/// `zoom.fill`, `zoom.pixels`, `rotate.right`, `rotate.left`, `pan.left`, `pan.right`, `pan.up`, `pan.down`,
/// `pan.start`, `pan.end`. Its CSS name is `firnzoomview`.
@MainActor
public final class FirnZoomView {
    /// The widget, for use in a window. Valid as long as this object lives; the widget retains this object while the
    /// widget is in use.
    public let widget: UnsafeMutablePointer<GtkWidget>
    private var ownership: WidgetOwnership?
    /// Shows the whole image below the tiles, and placeholder, previews, animation and failure.
    let whole: FirnPicture
    var state = ZoomState()
    let tiles: ZoomTextures
    let accessibility: ImageAccessibility
    private var ticks = FrameTicks()
    private(set) var isMapped = false
    /// The version of the file that the tiles are from.
    private var version: SourceVersion?
    /// The position of the pointer, in screen pixels.
    var pointer: ZoomState.Point?
    /// True if a drag has passed its threshold.
    var isDragging = false
    private var panEnabled = true
    /// True if a report of a layout change is scheduled.
    private var isPassing = false

    /// The requested image; `nil` for none. A new image is shown unrotated, and whole unless
    /// ``keepsPosition`` is true.
    public var request: ImageRequest? {
        get { whole.request }
        set {
            if newValue?.imageCacheKey != whole.request?.imageCacheKey { forget() }
            tiles.request = newValue
            whole.request = newValue
        }
    }

    /// The natural size of the widget, in GTK's units. Default: none.
    public var naturalSize: PixelSize? { didSet { gtk_widget_queue_resize(widget) } }

    /// A description of the image in words, for assistive technology.
    public var alternativeText: String? { didSet { accessibility.label(alternativeText) } }

    /// True if each pixel is painted as a rectangle of one color at a ``zoom`` of 2 or more. Default: no, pixels are
    /// interpolated. Vector images are always rendered at the displayed size.
    public var isPixelated = false { didSet { if isPixelated != oldValue { changed() } } }

    /// True if the current zoom has pixels painted as rectangles.
    var paintsPixels: Bool { isPixelated && !state.isVector && state.scale > 1.99 }

    /// The maximum bytes of tiles in memory. Default: 128 MiB, more than a 4K screen needs. Tiles use a quarter of it,
    /// or three times the memory of the visible tiles if that is more.
    ///
    /// If the visible tiles need more at full sharpness, coarser ones are shown. Images of a format that is decoded
    /// from its start, such as JPEG, are loaded whole if they fit: 25 megapixels by default.
    public var tileBudget: Int {
        get { tiles.state.budget }
        set {
            tiles.state.budget = max(0, newValue)
            changed()
        }
    }

    /// Called when scale, position or rotation has changed, or the size of the image is known. May change widgets:
    /// calls due to a new widget size come after GTK's layout.
    public var onChange: (() -> Void)?
    /// Called when loading the image starts, succeeds or fails.
    public var onPhaseChange: ((BindingPhase) -> Void)?
    /// Called when the user swipes to the side, with a finger on a touch screen or two on a touchpad, while the image
    /// does not extend beyond the widget: with 1 for the next image, to the left in left-to-right languages, and -1 for
    /// the previous one.
    public var onSwipe: ((Int) -> Void)?
    /// True if a checkerboard is painted behind images with transparent pixels. Default: no.
    public var showsCheckerboard = false { didSet { redraw() } }
    /// Paints over the image: called with a `GtkSnapshot` in the widget's coordinates, whenever the widget is painted.
    /// ``viewPoint(x:y:)`` converts points of the image.
    public var overlay: ((OpaquePointer) -> Void)? { didSet { redraw() } }

    // MARK: Creation

    /// Creates a widget that shows an image.
    ///
    /// - Parameters:
    ///   - url: the address of the image, as in `ImageRequest(url:)`.
    ///   - context: the context that the widget shares with others of its window.
    public convenience init(_ url: URL, context: BindingContext = .gtk) {
        self.init(ImageRequest(url: url), context: context)
    }

    /// Creates a widget that shows the image of a request.
    ///
    /// Tiles are loaded if the request has neither processors nor target size nor region; otherwise the image is shown
    /// as it is.
    public convenience init(_ request: ImageRequest?, context: BindingContext = .gtk) {
        self.init(context: context)
        self.request = request
    }

    private static let widgetClass = PaintedWidgetClass(
        "FirnZoomView", cssName: "firnzoomview", ZoomAction.install)

    /// Creates a widget without an image.
    public init(context: BindingContext = .gtk) {
        whole = FirnPicture(context: context)
        tiles = ZoomTextures(pipeline: context.pipeline, budget: 128 << 20)
        let widget = FirnZoomView.widgetClass.make()
        self.widget = widget
        accessibility = ImageAccessibility(widget)
        PaintedWidgetClass.setOwner(self, of: widget)
        ownership = WidgetOwnership(widget, owner: self)
        gtk_widget_set_parent(whole.widget, widget)
        gtk_widget_set_can_target(whole.widget, 0)
        whole.accessibility.hide()
        gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN)
        gtk_widget_set_focusable(widget, 1)
        connect()
        FirnZoomView.liveCount += 1
    }

    isolated deinit {
        ticks.stop(widget)
        gtk_widget_unparent(whole.widget)
        PaintedWidgetClass.setOwner(nil, of: widget)
        ownership?.end()
        FirnZoomView.liveCount -= 1
    }

    /// The number of living instances; tests use it to find leaks.
    package private(set) static var liveCount = 0

    private func connect() {
        SignalClosure.connect(UnsafeMutableRawPointer(widget), "notify::scale-factor") { [weak self] in
            self?.measureRoom()
        }
        whole.onPhaseChange = { [weak self] in self?.phaseChanged($0) }
        whole.binding.onPreview = { [weak self] in self?.adopt($0, isPreview: true) }
        tiles.onChange = { [weak self] in
            guard let self else { return }
            self.redraw()
            if self.isMapped { self.tiles.update(for: self.state, at: self.now) }
        }
        connectGestures()
        enableActions()
    }

    // MARK: The image

    private func forget() {
        state.clear()
        tiles.clear()
        version = nil
        whole.stretches = false
        gtk_widget_queue_allocate(widget)
    }

    private func phaseChanged(_ phase: BindingPhase) {
        accessibility.announce(phase)
        if let response = phase.response { adopt(response, isPreview: false) }
        onPhaseChange?(phase)
    }

    /// Sets the size of the image. Enables tiles once the whole image is loaded.
    private func adopt(_ response: ImageResponse, isPreview: Bool) {
        let container = response.container
        let isWhole = request.map { $0.processors.isEmpty && $0.region == nil && $0.targetSize == nil } ?? false
        let size = isWhole ? container.originalSize ?? container.image.size : container.image.size
        if !isPreview, container.sourceVersion != version || size != state.image {
            version = container.sourceVersion
            tiles.clear()
        }
        state.setImage(size, isVector: isWhole && container.vectorSize != nil)
        whole.stretches = true
        if !isPreview {
            tiles.state.base = container.image.size
            tiles.state.isTiled = isWhole && !container.isAnimated
            tiles.state.isSequential = container.format.map { FirnZoomView.sequential.contains($0) } ?? false
        }
        gtk_widget_queue_allocate(widget)
        changed()
    }

    /// Formats in which a region needs a decode of the image up to it, or of all of it.
    private static let sequential: Set<ImageFormat> = [.jpeg, .png, .webp, .avif, .jxl, .qoi, .gif]

    // MARK: Changes

    /// The monotonic time in seconds, as of the frame clock.
    var now: Double { Double(g_get_monotonic_time()) / 1e6 }

    func redraw() { gtk_widget_queue_draw(widget) }

    /// Paints the current position, and loads its tiles.
    func changed() {
        whole.isPixelated = paintsPixels
        redraw()
        enableActions()
        guard state.isReady else { return }
        onChange?()
        guard isMapped else { return }
        tiles.isMoving = true
        tiles.update(for: state, at: now)
        ticks.start(widget) { [weak self] in self?.wasTicked() }
    }

    private func wasTicked() {
        // Order: one time for all steps, so that no update is missed between them.
        let time = now
        if state.advance(to: time) { return changed() }
        tiles.update(for: state, at: time)
        if !state.isMoving, !state.isDragged, !tiles.state.isUnsettled(at: time) { settle() }
    }

    /// Ends a movement.
    private func settle() {
        ticks.stop(widget)
        tiles.isMoving = false
        if !tiles.state.isTiled { gtk_widget_queue_allocate(widget) }
        accessibility.value(state.isReady ? "\(Int(saturating: (state.scale * 100).rounded())) %" : nil)
        redraw()
    }

    /// Enables the actions that have an effect now. Keys of disabled actions reach the widget's parents.
    private func enableActions() {
        let canPan = state.canPan
        if canPan != panEnabled {
            panEnabled = canPan
            for action in ZoomAction.pans { gtk_widget_action_set_enabled(widget, action.rawValue, canPan ? 1 : 0) }
        }
    }
}

extension FirnZoomView: PaintedWidget {
    func wasMapped() {
        isMapped = true
        layoutChanged()
    }

    func wasUnmapped() {
        isMapped = false
        state.finish()
        ticks.stop(widget)
        tiles.isMoving = false
        tiles.cancelLoads()
    }

    func wasResized(width: Int, height: Int) {
        measureRoom()
        var (width, height) = (gint(clamping: width), gint(clamping: height))
        if state.isReady, let image = state.image {
            // The size of the fitted image; larger only for images without tiles.
            let fitted = state.minimumScale
            let scale = tiles.state.isTiled ? fitted : max(fitted, min(state.scale, 1))
            func side(_ length: Int) -> gint {
                gint(max(1, min((Double(length) * scale / screenScale).rounded(), 32_767)))
            }
            (width, height) = (side(image.width), side(image.height))
        }
        gtk_widget_allocate(whole.widget, width, height, -1, nil)
    }

    /// Screen pixels per GTK unit.
    var screenScale: Double { Double(max(1, gtk_widget_get_scale_factor(widget))) }

    private func measureRoom() {
        let former = state
        let scale = Int(screenScale)
        state.setRoom(
            width: Int(gtk_widget_get_width(widget)) * scale, height: Int(gtk_widget_get_height(widget)) * scale)
        if state != former { layoutChanged() }
    }

    /// Does what ``changed()`` does, after the layout.
    private func layoutChanged() {
        guard !isPassing else { return }
        isPassing = true
        AfterLayout.run { [weak self] in
            self?.isPassing = false
            self?.changed()
        }
    }
}
#endif
