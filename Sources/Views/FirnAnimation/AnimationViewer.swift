/// One view of an animation: provides the frame to draw and the time to draw again.
///
/// All calls return at once and are allowed on any thread. Times are those of the animation's clock
/// (``AnimatedImage/time``). Releasing a viewer detaches it.
public final class AnimationViewer: Sendable {
    /// The animation.
    public let image: AnimatedImage
    private let id: Int

    init(image: AnimatedImage, id: Int) {
        self.image = image
        self.id = id
    }

    deinit { image.detach(id) }

    /// Returns the newest frame that is ready and due at `time`, never an older frame than before. Does not wait.
    ///
    /// - Parameter time: the time. Default: now.
    /// - Returns: `nil` before the first frame is ready.
    public func frame(at time: Duration? = nil) -> Bitmap? {
        let time = time ?? image.time
        return image.update { $0.image(for: id, at: time) }
    }

    /// The time when the next frame is due, if known: draw again then. `nil` while the animation is paused, finished,
    /// or waiting for bytes or the first frame. `onChange` reports their arrival.
    public var nextChange: Duration? { image.read { $0.nextChange(for: id) } }

    /// True if the last frame of the last play is shown, so that the animation has ended.
    public var isFinished: Bool { image.read { $0.isFinished(id) } }

    /// The due frame, counted over all plays.
    var ordinal: Int { image.read { $0.ordinal(of: id) } }

    /// Stops this viewer's time; the shown frame stays.
    public func pause() {
        let time = image.time
        image.update { $0.pause(id, at: time) }
    }

    /// Stops this viewer's time and keeps no frames for it: for a view that is scrolled away, on another page or
    /// minimized. The shown frame stays, and ``resume()`` continues from it. A finished viewer need not be resumed.
    public func suspend() { image.suspend(id) }

    /// Resumes after ``pause()`` or ``suspend()``, from the same time.
    public func resume() {
        let time = image.time
        image.update { $0.resume(id, at: time) }
    }

    /// Pauses at another frame, also if the viewer is suspended. The shown frame stays until that frame is ready.
    ///
    /// - Parameter frames: the number of frames to move on by; negative to move back. Continues at the other end after
    ///   the last known frame, and before the first one.
    public func step(by frames: Int) {
        let time = image.time
        image.update { $0.step(id, by: frames, at: time) }
    }

    /// True if the due frame is not shown, unless it cannot be decoded.
    package var isWaiting: Bool { image.read { $0.isWaiting(id) } }

    /// Starts again from the first frame. The shown frame stays until the first is ready.
    public func restart() { image.update { $0.restart(id) } }

    /// Ends the viewer: decoding for it stops, and ``frame(at:)`` returns `nil`.
    public func detach() { image.detach(id) }
}
