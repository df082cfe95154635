extension ImageTransition {
    /// An animation of the caller's; see ``custom(_:duration:frame:)``.
    public struct Animation: Hashable, Sendable {
        /// What the animation is known by. Animations of one name and duration are equal.
        public let name: String
        /// Time from the first frame to the last.
        public let duration: Duration
        private let frame: @Sendable (Double) -> Frame

        /// An animation.
        public init(name: String, duration: Duration, frame: @escaping @Sendable (_ progress: Double) -> Frame) {
            self.name = name
            self.duration = duration
            self.frame = frame
        }

        /// How the view looks at a progress, which is clamped to 0 to 1. Values that are not finite are replaced by
        /// those of an image at rest, and opacities are clamped to 0 to 1.
        public func frame(at progress: Double) -> Frame { frame(min(1, max(0, progress))).sanitized }

        /// Whether name and duration are equal.
        public static func == (a: Animation, b: Animation) -> Bool { a.name == b.name && a.duration == b.duration }

        /// Hashes name and duration.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(duration)
        }
    }

    /// How a view looks at one moment of a transition. What leaves the view's bounds is cut off.
    public struct Frame: Hashable, Sendable {
        /// Opacity of the new image, from 0 to 1. Default: 1.
        public var opacity: Double
        /// Opacity of what was shown before, painted below the new image, from 0 to 1. Default: 1.
        public var formerOpacity: Double
        /// Size of the new image, about the view's center: 1, the default, is its own size.
        public var scale: Double
        /// How far the new image is moved to the right, in widths of the view. Default: 0.
        public var x: Double
        /// How far the new image is moved down, in heights of the view. Default: 0.
        public var y: Double

        /// A frame; what is left out is as in an image at rest.
        public init(
            opacity: Double = 1, formerOpacity: Double = 1, scale: Double = 1, x: Double = 0, y: Double = 0
        ) {
            self.opacity = opacity
            self.formerOpacity = formerOpacity
            self.scale = scale
            self.x = x
            self.y = y
        }

        /// The same without numbers that cannot be painted.
        fileprivate var sanitized: Frame {
            func finite(_ value: Double, _ rest: Double) -> Double { value.isFinite ? value : rest }
            return Frame(
                opacity: min(1, max(0, finite(opacity, 1))), formerOpacity: min(1, max(0, finite(formerOpacity, 1))),
                // A thousand views away, or a thousand times as large, nothing can be told apart any more.
                scale: min(1_000, max(0, finite(scale, 1))), x: min(1_000, max(-1_000, finite(x, 0))),
                y: min(1_000, max(-1_000, finite(y, 0))))
        }
    }
}
