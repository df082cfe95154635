#if GTK

// The public properties and actions.
extension FirnZoomView {
    /// The binding that loads the whole image. The widget uses its callbacks.
    public var binding: ViewBinding { whole.binding }

    /// The options for loading the image. `nil` (the default) uses the context's options.
    public var options: ImageLoadingOptions? {
        get { whole.options }
        set { whole.options = newValue }
    }

    /// True if animations play. Default: yes; see ``FirnPicture/playsAnimations``.
    public var playsAnimations: Bool {
        get { whole.playsAnimations }
        set { whole.playsAnimations = newValue }
    }

    /// Shows another frame of the animation and pauses it; see ``FirnPicture/stepAnimation(by:)``.
    public func stepAnimation(by frames: Int) { whole.stepAnimation(by: frames) }

    /// True if a thin bar shows the download progress. Default: no.
    public var showsProgress: Bool {
        get { whole.showsProgress }
        set { whole.showsProgress = newValue }
    }

    /// Loads again from the source. A shown image stays until the new one is loaded.
    public func retry() {
        tiles.clear()
        whole.retry()
    }

    /// The size of the image at full size, in pixels; `nil` before it is known.
    public var imageSize: PixelSize? { state.image }

    /// Screen pixels per pixel of the full-size image, between ``fittingZoom`` and ``maximumZoom``. Setting it keeps
    /// the center, and has no effect before ``imageSize`` is known.
    public var zoom: Double {
        get { state.scale }
        set { change { $0.zoom(to: newValue, at: $0.room / 2) } }
    }

    /// The zoom at which the whole image is visible. At most 1, except that images of less than 16 pixels are enlarged
    /// up to that, and vector images fill the widget.
    public var fittingZoom: Double { state.minimumScale }

    /// The largest zoom. Default: 16. Vector images can always be enlarged to eight times the widget.
    public var maximumZoom: Double {
        get { state.maximumScale }
        set { if newValue.isFinite, newValue > 0 { change { $0.requestedMaximum = newValue } } }
    }

    /// True if the whole image is shown, also after the widget's size changes.
    public var isFitted: Bool { state.isFitted }

    /// True if the next image is shown with the zoom and at the place of this one, unless this one is shown whole.
    /// Default: no.
    public var keepsPosition: Bool {
        get { state.keepsPosition }
        set { state.keepsPosition = newValue }
    }

    /// The point of the image at the center of the widget, in pixels of the image. Setting it never leaves an empty
    /// margin, and has no effect before ``imageSize`` is known.
    public var center: (x: Double, y: Double) {
        get { (state.center.x, state.center.y) }
        set { change { $0.setCenter(ZoomState.Point(newValue.x, newValue.y)) } }
    }

    /// The clockwise quarter turns of the image, 0 to 3. Other values count modulo 4.
    public var rotation: Int {
        get { state.turns }
        set { change { $0.turn(by: (newValue & 3) - $0.turns) } }
    }

    /// Shows the same part of the image as another view does of its own, at the same rotation, for comparing images.
    ///
    /// Images of different sizes show the same share of their width. Has no effect before the sizes of both images are
    /// known.
    public func showPart(of other: FirnZoomView) {
        guard let size = state.image, let model = other.state.image, state.room.x > 0, state.room.y > 0 else { return }
        let scale = ZoomState.Point(size.width, size.height) / ZoomState.Point(model.width, model.height)
        change {
            $0.turn(by: other.state.turns - $0.turns)
            guard !other.state.isFitted else { return $0.fit() }
            $0.zoom(to: other.state.scale / scale.x, at: $0.room / 2)
            $0.setCenter(other.state.center * scale)
        }
    }

    /// True if the visible part is shown at full sharpness.
    public var isSharp: Bool { state.isReady && tiles.state.isSharp(for: state) }

    /// Shows the whole image.
    public func zoomToFit() { change { $0.fit() } }

    /// Converts a point of the image to the widget's coordinates, in GTK's units.
    public func viewPoint(x: Double, y: Double) -> (x: Double, y: Double) {
        let point = state.viewPoint(ZoomState.Point(x, y)) / screenScale
        return (point.x, point.y)
    }

    /// Converts a point of the widget to pixels of the image. It may be outside the image.
    public func imagePoint(x: Double, y: Double) -> (x: Double, y: Double) {
        let point = state.imagePoint(ZoomState.Point(x, y) * screenScale)
        return (point.x, point.y)
    }

    /// True if the image extends beyond the widget. Only then do its keys move the image.
    package var canPan: Bool { state.canPan }

    /// True while a movement is animated.
    package var isMoving: Bool { state.isMoving }

    /// The bytes of the tiles in memory.
    package var tileBytes: Int { tiles.state.heldBytes }

    /// Changes the position at once, and ends a movement.
    func change(_ body: (inout ZoomState) -> Void) {
        let former = state
        state.stop()
        body(&state)
        if state != former { changed() }
    }

    /// Begins a movement, or ends it at once if the user has disabled animations.
    func move(_ body: (inout ZoomState) -> Void) {
        body(&state)
        if !GTKLibrary.isAnimating(widget) { state.finish() }
        changed()
    }

    /// The zoom factor of a key press.
    private static let step = 1.5

    /// Performs an action of the widget.
    func perform(_ action: ZoomAction) {
        let room = state.room
        let middle = room / 2
        switch action {
        case .zoomIn: move { $0.fly(to: $0.finalScale * FirnZoomView.step, at: middle, time: now) }
        case .zoomOut: move { $0.fly(to: $0.finalScale / FirnZoomView.step, at: middle, time: now) }
        case .fit: move { $0.fly(to: $0.minimumScale, at: middle, time: now) }
        case .fill: move { $0.fly(to: $0.fillingScale, at: middle, time: now) }
        case .pixels: move { $0.fly(to: 1, at: middle, time: now) }
        case .rotateRight: change { $0.turn(by: 1) }
        case .rotateLeft: change { $0.turn(by: -1) }
        case .left: pan(-room.x / 4, 0)
        case .right: pan(room.x / 4, 0)
        case .up: pan(0, -room.y / 4)
        case .down: pan(0, room.y / 4)
        case .start: pan(-1e12, -1e12)
        case .end: pan(1e12, 1e12)
        }
    }

    private func pan(_ x: Double, _ y: Double) {
        move { $0.fly(by: ZoomState.Point(x, y), time: now) }
    }
}
#endif
