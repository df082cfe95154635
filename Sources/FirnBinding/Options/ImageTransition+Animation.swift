extension ImageTransition {
    /// A custom transition animation; see ``custom(_:duration:frame:)``.
    public struct Animation: Hashable, Sendable {
        /// The name. Animations with equal name and duration are equal.
        public let name: String
        /// The time from the first frame to the last.
        public let duration: Duration
        private let frame: @Sendable (Double) -> Frame

        /// Creates an animation.
        public init(name: String, duration: Duration, frame: @escaping @Sendable (_ progress: Double) -> Frame) {
            self.name = name
            self.duration = duration
            self.frame = frame
        }

        /// Returns the appearance of the view at a progress, which is clamped to 0 to 1. Values that are not finite
        /// are replaced by those of an image at rest, and opacities are clamped to 0 to 1.
        public func frame(at progress: Double) -> Frame { frame(min(1, max(0, progress))).sanitized }

        /// Whether name and duration are equal.
        public static func == (a: Animation, b: Animation) -> Bool { a.name == b.name && a.duration == b.duration }

        /// Hashes name and duration.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(duration)
        }
    }

    /// The appearance of a view at one moment of a transition. Parts outside the view are clipped.
    public struct Frame: Hashable, Sendable {
        /// The opacity of the new image, from 0 to 1. Default: 1.
        public var opacity: Double
        /// The opacity of the former content, painted below the new image, from 0 to 1. Default: 1.
        public var formerOpacity: Double
        /// The scale of the new image around the view's center. Default: 1, its own size.
        public var scale: Double
        /// The shift of the new image to the right, in widths of the view. Default: 0.
        public var x: Double
        /// The shift of the new image downward, in heights of the view. Default: 0.
        public var y: Double

        /// Creates a frame. Omitted values are those of an image at rest.
        public init(
            opacity: Double = 1, formerOpacity: Double = 1, scale: Double = 1, x: Double = 0, y: Double = 0
        ) {
            self.opacity = opacity
            self.formerOpacity = formerOpacity
            self.scale = scale
            self.x = x
            self.y = y
        }

        /// Returns the frame with values that can be painted.
        fileprivate var sanitized: Frame {
            func finite(_ value: Double, _ rest: Double) -> Double { value.isFinite ? value : rest }
            return Frame(
                opacity: min(1, max(0, finite(opacity, 1))), formerOpacity: min(1, max(0, finite(formerOpacity, 1))),
                // Beyond a thousand views, or a scale of a thousand, nothing is visible.
                scale: min(1_000, max(0, finite(scale, 1))), x: min(1_000, max(-1_000, finite(x, 0))),
                y: min(1_000, max(-1_000, finite(y, 0))))
        }
    }
}
