/// The animation with which an image replaces the previous content.
///
/// A toolkit performs it as far as it can, and not at all if the user prefers reduced motion. Transitions with equal
/// name and duration are equal.
public struct ImageTransition: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The time from the first frame to the last.
    public let duration: Duration
    /// True if a toolkit may use its own fade.
    package let isFade: Bool
    private let frame: @Sendable (Double) -> Frame

    /// A fade-in of 250 ms.
    public static let fadeIn = ImageTransition.fadeIn(duration: .milliseconds(250))

    /// Returns a transition that fades in the image over the previous content.
    public static func fadeIn(duration: Duration) -> ImageTransition {
        // Eases in and out.
        ImageTransition(name: "fade in", duration: duration, isFade: true) { Frame(opacity: $0 * $0 * (3 - 2 * $0)) }
    }

    /// Returns a custom transition. `frame` is called for each frame drawn.
    ///
    /// ```swift
    /// let duration = Duration.milliseconds(400)
    /// let slide = ImageTransition.custom("slide", duration: duration) { progress in
    ///     let eased = 1 - (1 - progress) * (1 - progress)
    ///     return ImageTransition.Frame(opacity: eased, x: 0.25 * (1 - eased))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: transitions with equal name and duration are equal.
    ///   - duration: the time from the first frame to the last; at most a minute.
    ///   - frame: returns the view's appearance at a progress from 0 to 1, linear in time. Called on the main actor.
    public static func custom(
        _ name: String, duration: Duration, frame: @escaping @Sendable (_ progress: Double) -> Frame
    ) -> ImageTransition {
        ImageTransition(name: name, duration: duration, isFade: false, frame: frame)
    }

    /// Returns the view's appearance at a progress. Progress and opacities are clamped to 0...1; values that are not
    /// finite become those of an image at rest.
    public func frame(at progress: Double) -> Frame { frame(min(1, max(0, progress))).sanitized }

    /// Returns whether name and duration are equal.
    public static func == (a: ImageTransition, b: ImageTransition) -> Bool {
        a.name == b.name && a.duration == b.duration && a.isFade == b.isFade
    }

    /// Hashes name and duration.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(duration)
    }

    /// The appearance of a view at one moment of a transition. Parts outside the view are clipped.
    public struct Frame: Hashable, Sendable {
        /// The opacity of the new image, from 0 to 1. Default: 1.
        public var opacity: Double
        /// The opacity of the previous content, painted below the new image, from 0 to 1. Default: 1.
        public var formerOpacity: Double
        /// The scale of the new image around the view's center. Default: 1, its own size.
        public var scale: Double
        /// The shift of the new image to the right, in widths of the view. Default: 0.
        public var x: Double
        /// The shift of the new image downward, in heights of the view. Default: 0.
        public var y: Double

        /// Creates a frame. Default: an image at rest.
        public init(
            opacity: Double = 1, formerOpacity: Double = 1, scale: Double = 1, x: Double = 0, y: Double = 0
        ) {
            self.opacity = opacity
            self.formerOpacity = formerOpacity
            self.scale = scale
            self.x = x
            self.y = y
        }

        /// The frame with values clamped to a paintable range.
        var sanitized: Frame {
            func finite(_ value: Double, _ rest: Double) -> Double { value.isFinite ? value : rest }
            return Frame(
                opacity: min(1, max(0, finite(opacity, 1))), formerOpacity: min(1, max(0, finite(formerOpacity, 1))),
                // Nothing is visible beyond a thousand views or a scale of a thousand.
                scale: min(1_000, max(0, finite(scale, 1))), x: min(1_000, max(-1_000, finite(x, 0))),
                y: min(1_000, max(-1_000, finite(y, 0))))
        }
    }
}
