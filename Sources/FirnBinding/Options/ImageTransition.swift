/// The way in which an image replaces the former content.
///
/// A toolkit performs it as far as it can, and not at all if the user asked for reduced motion.
public enum ImageTransition: Hashable, Sendable {
    /// The image fades in over the former content.
    case fadeIn(duration: Duration)
    /// A custom animation.
    case custom(Animation)

    /// Fades in within 250 ms.
    public static let fadeIn = ImageTransition.fadeIn(duration: .milliseconds(250))

    /// Creates a custom animation. `frame` is called for each frame of the screen.
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
    ///   - name: animations with equal name and duration are equal.
    ///   - duration: the time from the first frame to the last; at most a minute.
    ///   - frame: returns the appearance of the view at a progress from 0 to 1, which is linear in time. Called on
    ///     the main actor.
    public static func custom(
        _ name: String, duration: Duration, frame: @escaping @Sendable (_ progress: Double) -> Frame
    ) -> ImageTransition {
        .custom(Animation(name: name, duration: duration, frame: frame))
    }
}
