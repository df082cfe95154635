#if GTK
public import CGTK4
import FirnSync
public import FoundationEssentials

/// A widget that shows an image. It requests the image at the size at which it is shown, shows a placeholder until the
/// image is loaded, and releases the image when it shows another one.
///
/// ```swift
/// let image = FirnPicture("https://example.org/photo.jpg")
/// box.append(image)
/// ```
/// The widget takes the size that its parent allocates; ``naturalSize`` is the size that it requests. Its CSS name is
/// `firnpicture`. Assistive technology sees an image that is labeled with ``alternativeText``, and is busy while it
/// loads.
@MainActor
public final class FirnPicture {
    /// The widget, for use in a window. Valid as long as this object lives; the widget retains this object while the
    /// widget is in use.
    public let widget: UnsafeMutablePointer<GtkWidget>
    private var ownership: WidgetOwnership?

    /// The binding that loads for this widget: phase, progress, callbacks.
    public private(set) lazy var binding: ViewBinding = {
        let binding = ViewBinding(view: self, context: context)
        binding.onPhaseChange = { [weak self] in self?.phaseChanged($0) }
        return binding
    }()
    let context: BindingContext

    /// The requested image; `nil` for none. Setting the same request again loads it again only if the shown image is no
    /// longer current, or if the request asks for a reload; see ``/FirnBinding/ViewBinding/load(_:options:)``.
    public var request: ImageRequest? {
        get { binding.request }
        set {
            // Order: reports earlier changes of the widget first.
            passLayoutOn()
            binding.load(newValue, options: options)
        }
    }

    /// The URL of the requested image. Setting it requests the image without processors.
    public var url: URL? {
        get { request?.url }
        set { request = newValue.map { ImageRequest(url: $0) } }
    }

    /// The options for loading images into this widget. A change takes effect at once. `nil` (the default) uses the
    /// context's options.
    public var options: ImageLoadingOptions? {
        didSet { binding.apply(options ?? context.options) }
    }

    /// True if a thin bar shows the download progress. Default: no.
    public var showsProgress = false {
        didSet {
            binding.onProgress = showsProgress ? { [weak self] in self?.progress = $0.fraction } : nil
            progress = nil
        }
    }
    var progress: Double? { didSet { if progress != oldValue { redraw() } } }

    /// True if animations play once they are loaded: GIF, APNG, WebP, AVIF, JPEG XL, and any other file of which a
    /// decoder reports several frames with durations. Default: yes, except for cells of a list; see
    /// ``ImageListFactory/playsAnimations``.
    ///
    /// The frames are decoded from the bytes that were loaded for the first frame, a few at a time, and only while a
    /// part of the widget is visible: it is mapped, not scrolled away, and its window is not minimized. When the widget
    /// is visible again, the animation resumes; a finished one keeps its last frame. Setting this to `false` pauses a
    /// playing animation at its current frame; `true` resumes it. ``stepAnimation(by:)`` shows another frame.
    public var playsAnimations = true {
        didSet { if playsAnimations != oldValue { playsAnimationsChanged() } }
    }

    /// The natural size of the widget, in GTK's units. Default: none.
    public var naturalSize: PixelSize? { didSet { gtk_widget_queue_resize(widget) } }

    /// The corner radius, in GTK's units. Default: 0. Rounds the image if it fits into the widget, and the widget if
    /// the image fills it.
    public var cornerRadius = 0.0 { didSet { if cornerRadius != oldValue { redraw() } } }

    /// A description of the image in words, for assistive technology.
    public var alternativeText: String? {
        didSet { if alternativeText != oldValue { accessibility.label(alternativeText) } }
    }

    // The state for painting.
    var layer = ImageLayer.nothing
    var mode = ImageContentMode.fit
    var former: (layer: ImageLayer, mode: ImageContentMode)?
    var transition: TransitionRun?
    /// The number of the latest search for an animation. Results of earlier ones are ignored.
    var animationSearch = 0
    /// The source of the animation that is shown.
    var playedSource: PlayedSource?
    private lazy var visibility = VisibilityWatch(widget) { [weak self] _ in self?.updatePlaying() }
    private var ticks = FrameTicks()
    private static let widgetClass = PaintedWidgetClass("FirnPicture", cssName: "firnpicture")
    private(set) var isMapped = false
    private var allocation = (width: 0, height: 0)
    /// True if the widget is unmapped, and if the binding knows.
    private var (isAway, isKnownAway) = (false, false)
    /// True if the size or scale has changed, and if a report to the binding is scheduled.
    private var (isResized, isPassing) = (false, false)
    /// True if the image is stretched to the widget, whose aspect ratio differs only by rounding.
    var stretches = false { didSet { if stretches != oldValue { redraw() } } }
    /// True if each pixel of the image is painted as a rectangle of one color.
    var isPixelated = false { didSet { if isPixelated != oldValue { redraw() } } }
    /// The size that a list has set for its cell.
    var cellSize: PixelSize?
    /// The position of the item that a list has bound the image to.
    var listPosition: Int?
    let accessibility: ImageAccessibility

    /// Creates a widget that shows an image.
    ///
    /// - Parameters:
    ///   - url: the URL of the image. A literal works, too: it becomes an `ImageRequest`.
    ///   - context: the context that the widget shares with the others of its list or window.
    public convenience init(_ url: URL, context: BindingContext = .gtk) {
        self.init(ImageRequest(url: url), context: context)
    }

    /// Creates a widget that shows the image of a request.
    public convenience init(_ request: ImageRequest?, context: BindingContext = .gtk) {
        self.init(context: context)
        self.request = request
    }

    /// Creates a widget without an image.
    ///
    /// - Parameter context: the context that the widget shares with the others of its list or window; see
    ///   ``FirnBinding/BindingContext/gtk(pipeline:policy:options:trimsInBackground:)``.
    public init(context: BindingContext = .gtk) {
        GTKLibrary.start()
        BackgroundWatch.shared.start()
        self.context = context
        let widget = FirnPicture.widgetClass.make()
        self.widget = widget
        accessibility = ImageAccessibility(widget)
        PaintedWidgetClass.setOwner(self, of: widget)
        ownership = WidgetOwnership(widget, owner: self)
        SignalClosure.connect(UnsafeMutableRawPointer(widget), "notify::scale-factor") { [weak self] in
            self?.isResized = true
            self?.layoutChanged()
        }
        FirnPicture.liveCount += 1
    }

    isolated deinit {
        stopPlaying()
        ticks.stop(widget)
        PaintedWidgetClass.setOwner(nil, of: widget)
        ownership?.end()
        FirnPicture.liveCount -= 1
    }

    /// Called with the nanoseconds that displaying new content took; for measurements.
    package static var onDisplayTime: ((Int64) -> Void)?

    /// True if the latest state that was reported to assistive technology is that the image is loading.
    package var announcesBusy: Bool { accessibility.isBusy }

    /// The number of living instances; tests use it to find leaks.
    package private(set) static var liveCount = 0

    /// Returns the `FirnPicture` that a widget belongs to; `nil` if the widget is not one.
    public static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> FirnPicture? {
        widgetClass.type.holds(UnsafeMutableRawPointer(widget))
            ? PaintedWidgetClass.owner(of: widget) as? FirnPicture : nil
    }

    // MARK: Loading

    /// Releases the request because the widget will show another image soon. The current image stays until then.
    public func prepareForReuse() {
        animationSearch += 1
        binding.prepareForReuse()
    }

    /// Loads again from the source. A shown image stays until the new one is loaded.
    public func retry() { binding.retry() }

    private func phaseChanged(_ phase: BindingPhase) {
        if progress != nil { progress = nil }
        accessibility.announce(phase)
        onPhaseChange?(phase)
    }

    /// Called when loading starts, succeeds or fails. May change widgets: calls due to a new size or visibility come
    /// after GTK's layout.
    public var onPhaseChange: ((BindingPhase) -> Void)?

    // MARK: Content

    /// Replaces the shown content.
    func show(_ new: ImageLayer, mode newMode: ImageContentMode, by wanted: ImageTransition? = nil) {
        guard !new.isSame(as: layer) || mode != newMode else { return }
        if let wanted, isMapped, GTKLibrary.isAnimating(widget) {
            former = (layer, mode)
            transition = TransitionRun(transition: wanted)
        } else {
            former = nil
            transition = nil
        }
        mode = newMode
        replaceLayer(with: new)
    }

    /// Replaces the shown layer with another form of the same content; a transition continues.
    func replaceLayer(with new: ImageLayer) {
        stopPlaying()
        layer = new
        updatePlaying()
        redraw()
    }

    // MARK: Frame clock

    var frameTime: Int64? { gtk_widget_get_frame_clock(widget).map { Int64(gdk_frame_clock_get_frame_time($0)) } }

    /// Plays the animation while the widget is visible.
    func updatePlaying() {
        if isMapped, case .animation(let player) = layer {
            visibility.start()
            if !visibility.isVisible || !player.needsFrames {
                player.stop()
            } else if !player.isRunning {
                player.start()
                if player.advance() { redraw() }
            }
        } else {
            visibility.stop()
        }
        updateTicking()
    }

    private func stopPlaying() {
        if case .animation(let player) = layer { player.stop() }
    }

    /// Follows the frame clock while the content changes with time.
    private func updateTicking() {
        var isMoving = transition != nil
        if case .animation(let player) = layer, player.isRunning, !player.isFinished { isMoving = true }
        guard isMapped, isMoving else { return ticks.stop(widget) }
        ticks.start(widget) { [weak self] in self?.wasTicked() }
    }

    private func wasTicked() {
        var isChanged = false
        if let transition, let now = frameTime {
            isChanged = true
            self.transition?.tick(at: now)
            if transition.progress(at: now) >= 1 {
                self.transition = nil
                former = nil
            }
        }
        if case .animation(let player) = layer, player.advance() { isChanged = true }
        if isChanged { redraw() }
        updateTicking()
    }

    // MARK: Mapping and size

    func wasMapped() {
        isMapped = true
        updatePlaying()
        isAway = false
        layoutChanged()
    }

    func wasUnmapped() {
        isMapped = false
        stopPlaying()
        former = nil
        transition = nil
        updatePlaying()
        isAway = true
        layoutChanged()
    }

    func wasResized(width: Int, height: Int) {
        guard (width, height) != allocation else { return }
        allocation = (width, height)
        isResized = true
        layoutChanged()
    }

    /// Reports a change to the binding after the layout, since the binding calls the program.
    private func layoutChanged() {
        guard !isPassing, isResized || isAway != isKnownAway else { return }
        isPassing = true
        AfterLayout.run { [weak self] in self?.passLayoutOn() }
    }

    private func passLayoutOn() {
        guard isPassing else { return }
        isPassing = false
        if isResized {
            isResized = false
            binding.viewResized()
        }
        guard isAway != isKnownAway else { return }
        isKnownAway = isAway
        isAway ? binding.disappear() : binding.appear()
    }
}

extension FirnPicture: PaintedWidget, ImageDisplaying {
    /// Shows new content.
    public func display(_ content: DisplayedContent) {
        let start = FirnPicture.onDisplayTime == nil ? 0 : MonotonicClock.now()
        defer { FirnPicture.onDisplayTime?(MonotonicClock.now() - start) }
        animationSearch += 1
        if content.kind == .image, let response = content.response, isPlaying(response) {
            mode = content.contentMode
            return playIfAnimated(response)
        }
        show(ImageLayer(content), mode: content.contentMode, by: content.transition)
        if content.kind == .image, let response = content.response { playIfAnimated(response) }
    }

    /// The widget's size and scale; `unknown` before the first layout.
    public var displaySize: ImageDisplaySize {
        guard allocation.width > 0, allocation.height > 0 else { return .unknown }
        return .points(
            width: Double(allocation.width), height: Double(allocation.height),
            scale: Double(gtk_widget_get_scale_factor(widget)))
    }
}
#endif
