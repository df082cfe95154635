extension ImageTransition {
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
