#if GTK
public import CGTK4
import FoundationEssentials

/// An animation as a `GdkPaintable`, for `GtkPicture`, `GtkImage` and every other widget that paints one.
///
/// ```swift
/// let moving = AnimatedPaintable(animation)
/// let image = gtk_picture_new_for_paintable(moving.pointer)
/// if let image { moving.attach(to: image) }
/// ```
/// Plays with the frame clock of the widget that it is attached to, while a part of that widget can be seen: it is
/// mapped, not scrolled away, and its window is not minimized. When the widget is visible again, the animation resumes.
/// Several paintables of one ``/FirnAnimation/AnimatedImage`` share its frames.
@MainActor
public final class AnimatedPaintable {
    /// The `GdkPaintable`. Valid as long as this object lives or the program holds a reference. It retains its frames.
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
            // The widget may be destroyed before this object.
            SignalClosure.connect(object, "destroy") { [weak self] in self?.forget() },
        ]
        if gtk_widget_get_mapped(widget) != 0 { watch.start() }
    }

    /// Stops playback and detaches from the widget. The current frame stays visible.
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

/// Plays an animation in one widget: selects the frame to paint at each tick of the frame clock.
///
/// Frames are decoded only while the player runs. A stopped player resumes at the frame that it showed; a finished one
/// keeps its last frame. Players of one ``AnimatedImage`` share its frames and their textures.
@MainActor
final class AnimationPlayer {
    let image: AnimatedImage
    /// The texture to paint; while stopped, the last frame shown.
    private(set) var texture: ImageTexture?
    private var viewer: AnimationViewer?
    private(set) var isRunning = false
    /// True if the frame changes only by steps.
    private(set) var isPaused = false
    /// The number of frames that a paused player has yet to move on by; `nil` if its frame is shown.
    private var steps: Int?

    /// - Parameters:
    ///   - first: the texture to paint before the first frame is ready.
    ///   - former: the player of the same file at another size, from which playback continues.
    init(_ image: AnimatedImage, first: ImageTexture? = nil, continuing former: AnimationPlayer? = nil) {
        self.image = image
        texture = first
        if let known = former?.viewer {
            let viewer = image.makeViewer(continuing: known)
            viewer.suspend()
            self.viewer = viewer
        }
    }

    var isFinished: Bool { viewer?.isFinished ?? false }

    /// True unless the player is paused and shows its frame.
    var needsFrames: Bool { !isPaused || steps != nil }

    /// Stops the time. The player runs only for steps.
    func pause() {
        guard !isPaused else { return }
        isPaused = true
        viewer?.pause()
    }

    /// Resumes after a pause.
    func unpause() {
        (isPaused, steps) = (false, nil)
        stop()
    }

    /// Moves on by frames of a paused player, or back.
    func step(by frames: Int) {
        steps = (steps ?? 0) &+ frames
        stop()
    }

    private func stepNow() {
        viewer?.step(by: steps ?? 0)
        steps = 0
    }

    /// Starts or resumes playback.
    func start() {
        guard !isRunning else { return }
        isRunning = true
        let viewer = viewer ?? image.makeViewer()
        self.viewer = viewer
        if isPaused {
            // The number of frames is not known before the first one.
            viewer.frame() == nil ? viewer.step(by: 0) : stepNow()
        } else if !viewer.isFinished {
            viewer.resume()
        }
    }

    /// Stops playback. No more frames are decoded for this player.
    func stop() {
        isRunning = false
        viewer?.suspend()
    }

    /// Selects the frame that is due now.
    ///
    /// - Returns: whether the texture to paint has changed.
    func advance() -> Bool {
        guard isRunning, let viewer, let frame = viewer.frame() else { return false }
        if isPaused, !viewer.isWaiting {
            if let steps, steps != 0 {
                stepNow()
            } else {
                steps = nil
                stop()
            }
        }
        guard let next = try? ImageTexture.of(frame) else { return false }
        if let texture, texture.pointer == next.pointer { return false }
        texture = next
        return true
    }
}

/// The GObject class behind ``AnimatedPaintable``. An instance stores one pointer after the fields of `GObject`: a
/// retained reference to its player.
@MainActor
enum PaintableType {
    static let type: GType = {
        let type = GType.object.derived(
            "FirnAnimatedPaintable", GObjectClass.self, GObject.self, and: UnsafeMutableRawPointer?.self)
        var interface = GInterfaceInfo()
        g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
        // Order: after the interface is added, before the first object is created. The class is never released.
        if let objectClass = g_type_class_ref(type) {
            fill(objectClass.assumingMemoryBound(to: GObjectClass.self))
            let interface = g_type_interface_peek(objectClass, gdk_paintable_get_type())
            if let interface { adopt(interface.assumingMemoryBound(to: GdkPaintableInterface.self)) }
        }
        return type
    }()

    private static var parent: UnsafeMutablePointer<GObjectClass>?

    /// Returns the address of the player pointer in an instance.
    static func slot(_ object: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (object + MemoryLayout<GObject>.size).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    private static func texture(of paintable: OpaquePointer?) -> ImageTexture? {
        guard let paintable, let player = slot(UnsafeMutableRawPointer(paintable)).pointee else { return nil }
        return Unmanaged<AnimationPlayer>.fromOpaque(player).takeUnretainedValue().texture
    }

    private static func fill(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        parent = g_type_class_peek_parent(objectClass)?.assumingMemoryBound(to: GObjectClass.self)
        let finalize: @MainActor @convention(c) (UnsafeMutablePointer<GObject>?) -> Void = { object in
            if let object {
                let slot = PaintableType.slot(UnsafeMutableRawPointer(object))
                if let player = slot.pointee { Unmanaged<AnimationPlayer>.fromOpaque(player).release() }
                slot.pointee = nil
            }
            PaintableType.parent?.pointee.finalize?(object)
        }
        SignalClosure.assign(finalize, to: &objectClass.pointee.finalize)
    }

    private static func adopt(_ interface: UnsafeMutablePointer<GdkPaintableInterface>) {
        let snapshot: @MainActor @convention(c) (OpaquePointer?, OpaquePointer?, Double, Double) -> Void = {
            paintable, snapshot, width, height in
            guard let snapshot, let texture = PaintableType.texture(of: paintable) else { return }
            var bounds = graphene_rect_t(x: 0, y: 0, width: width, height: height)
            gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds)
        }
        SignalClosure.assign(snapshot, to: &interface.pointee.snapshot)
        let width: @MainActor @convention(c) (OpaquePointer?) -> gint = {
            gint(clamping: PaintableType.texture(of: $0)?.size.width ?? 0)
        }
        SignalClosure.assign(width, to: &interface.pointee.get_intrinsic_width)
        let height: @MainActor @convention(c) (OpaquePointer?) -> gint = {
            gint(clamping: PaintableType.texture(of: $0)?.size.height ?? 0)
        }
        SignalClosure.assign(height, to: &interface.pointee.get_intrinsic_height)
        let image: @MainActor @convention(c) (OpaquePointer?) -> OpaquePointer? = { paintable in
            guard let texture = PaintableType.texture(of: paintable) else { return gdk_paintable_new_empty(0, 0) }
            g_object_ref(UnsafeMutableRawPointer(texture.pointer))
            return texture.pointer
        }
        SignalClosure.assign(image, to: &interface.pointee.get_current_image)
    }
}

/// The animations that are currently shown, so that widgets with the same image at the same size share its frames.
@MainActor
final class AnimationTable {
    static let shared = AnimationTable()

    private struct Key: Hashable {
        let source: PlayedSource
        let size: PixelSize
        let pipeline: ObjectIdentifier
    }

    private var entries: [Key: WeakReference<AnimatedImage>] = [:]

    /// Passes the animation of a response's image to `done`, decoded from the bytes that the response carries; `nil` if
    /// the image is not animated or its bytes are not available. Calls `done` at once if the animation is in the table,
    /// otherwise from GLib's loop, with or without ``GLibMainExecutor``.
    func findAnimation(
        of response: ImageResponse, pipeline: ImagePipeline, done: @escaping @MainActor (AnimatedImage?) -> Void
    ) {
        let container = response.container
        guard container.isAnimated else { return done(nil) }
        let key = Key(
            source: PlayedSource(response, of: response.request), size: container.image.size,
            pipeline: ObjectIdentifier(pipeline))
        if let animation = entries[key]?.object { return done(animation) }
        pipeline.makeAnimationDecoder(for: response) { decoder in
            LoopSignal.shared.call { done(decoder.map { self.animation($0, as: response, key) }) }
        }
    }

    /// Returns the animation whose frames have the size, processors and pixel layout of the response's image.
    private func animation(_ decoder: ImageDecoder, as response: ImageResponse, _ key: Key) -> AnimatedImage {
        // Another widget may have added the animation meanwhile.
        if let animation = entries[key]?.object { return animation }
        let request = response.request
        var options = DecodingOptions()
        options.targetSize =
            request.processors.isEmpty
            ? TargetSize(response.container.image.size, mode: .fill) : request.targetSize
        // An animation with transparency cannot have an opaque layout.
        let isMet = request.pixelFormat.hasAlpha || decoder.properties?.hasAlpha == false
        options.pixelFormat = isMet ? request.pixelFormat : .bgra8Premultiplied
        let animation = AnimatedImage(decoder: decoder, options: options, processors: request.processors)
        entries = entries.filter { $0.value.object != nil }
        entries[key] = WeakReference(object: animation)
        return animation
    }
}

/// Identifies the file of an animation, at any displayed size.
struct PlayedSource: Hashable {
    private let key: ImageCacheKey?
    private let version: SourceVersion?
    /// The byte count and a hash of the first and the last 4 KiB. Distinguishes two animations at one address, as after
    /// a reload, without reading all bytes.
    private var content: [Int] = []

    /// - Parameter request: the view's request, before it was fitted to the view's size.
    init(_ response: ImageResponse, of request: ImageRequest?) {
        key = request?.imageCacheKey
        version = response.container.sourceVersion
        guard let data = response.container.data else { return }
        var hasher = Hasher()
        // `Data` itself hashes only 80 bytes.
        for part in [data.prefix(4096), data.suffix(4096)] { part.withUnsafeBytes { hasher.combine(bytes: $0) } }
        content = [data.count, hasher.finalize()]
    }
}
#endif
