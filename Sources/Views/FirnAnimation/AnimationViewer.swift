public import FirnImage

/// One view of an animation: tells which frame to draw, and when to draw again.
///
/// All calls return at once and are allowed on any thread. Times are those of the animation's clock
/// (``AnimatedImage/time``). A viewer that is released is detached.
public final class AnimationViewer: Sendable {
    /// The animation.
    public let image: AnimatedImage
    private let id: Int

    init(image: AnimatedImage, id: Int) {
        self.image = image
        self.id = id
    }

    deinit { image.detach(id) }

    /// Returns the newest frame that is ready and due at `time`; never an older one than before. Does not wait.
    ///
    /// - Parameter time: the time. Default: now.
    /// - Returns: `nil` before the first frame is ready.
    public func frame(at time: Duration? = nil) -> Bitmap? {
        let time = time ?? image.time
        return image.update { $0.image(for: id, at: time) }
    }

    /// The time when the next frame is due, as far as is known: draw again then. `nil` if nothing changes with time:
    /// the animation is paused or finished, or waits for bytes or for the first frame. `onChange` reports their
    /// arrival.
    public var nextChange: Duration? { image.read { $0.nextChange(for: id) } }

    /// True if the last frame of the last play is shown, so that nothing changes any more.
    public var isFinished: Bool { image.read { $0.isFinished(id) } }

    /// The frame that is due, counted over all plays.
    var ordinal: Int { image.read { $0.ordinal(of: id) } }

    /// Stops time for this viewer; the shown frame stays.
    public func pause() {
        let time = image.time
        image.update { $0.pause(id, at: time) }
    }

    /// Stops time for this viewer, and decodes and keeps no frames for it: for a view that is scrolled away, on another
    /// page or minimized. The shown frame stays, and ``resume()`` goes on from it. A viewer that is finished need not
    /// be resumed.
    public func suspend() { image.suspend(id) }

    /// Resumes time from where ``pause()`` or ``suspend()`` stopped it.
    public func resume() {
        let time = image.time
        image.update { $0.resume(id, at: time) }
    }

    /// Starts again from the first frame. The shown frame stays until that one is ready.
    public func restart() { image.update { $0.restart(id) } }

    /// Ends the viewer: nothing is decoded for it from now on, and ``frame(at:)`` returns `nil`.
    public func detach() { image.detach(id) }
}
