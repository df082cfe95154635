public import FirnImage

/// A view's side of an animation: says which frame to draw, and when to draw again.
///
/// All calls return at once and may be made on any thread. Times are those of the animation's clock
/// (``AnimatedImage/time``). A viewer that is gone is detached.
public final class AnimationViewer: Sendable {
    /// The animation.
    public let image: AnimatedImage
    private let id: Int

    init(image: AnimatedImage, id: Int) {
        self.image = image
        self.id = id
    }

    deinit { image.detach(id) }

    /// The newest frame that is ready and due at `time`; never waits and never goes back to an older one.
    ///
    /// - Parameter time: by default now.
    /// - Returns: `nil` before the first frame is ready.
    public func frame(at time: Duration? = nil) -> Bitmap? {
        let time = time ?? image.time
        return image.update { $0.image(for: id, at: time) }
    }

    /// When the next frame will be due, by what is known: when to draw again. `nil` while nothing changes with time alone:
    /// paused, finished, or waiting for bytes or for the first frame, whose coming `onChange` tells.
    public var nextChange: Duration? { image.read { $0.nextChange(for: id) } }

    /// Whether the last frame of the last play is shown, or due.
    public var isFinished: Bool { image.read { $0.isFinished(id) } }

    /// Stops time for this viewer; the frame shown stays.
    public func pause() {
        let time = image.time
        image.update { $0.pause(id, at: time) }
    }

    /// Resumes time from where ``pause()`` stopped it.
    public func resume() {
        let time = image.time
        image.update { $0.resume(id, at: time) }
    }

    /// Starts over from the first frame. What is shown stays until that frame is ready.
    public func restart() { image.update { $0.restart(id) } }

    /// Ends the viewer for good: nothing is decoded for this viewer any more, and ``frame(at:)`` gives `nil`.
    public func detach() { image.detach(id) }
}
