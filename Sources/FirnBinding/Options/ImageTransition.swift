/// The way in which an image replaces what was shown before.
///
/// A wish: a toolkit does it as it can, and not at all where the user asked for less motion.
public enum ImageTransition: Hashable, Sendable {
    /// The image fades in over what was shown.
    case fadeIn(duration: Duration)
    /// An animation of the caller's.
    case custom(Animation)

    /// Fades in within a quarter of a second.
    public static let fadeIn = ImageTransition.fadeIn(duration: .milliseconds(250))

    /// An animation of the caller's: `frame` is asked for each frame of the screen.
    ///
    /// ```swift
    /// let slide = ImageTransition.custom("slide", duration: .milliseconds(400)) { progress in
    ///     let eased = 1 - (1 - progress) * (1 - progress)
    ///     return ImageTransition.Frame(opacity: eased, x: 0.25 * (1 - eased))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: animations of one name and duration are equal.
    ///   - duration: time from the first frame to the last. At most a minute.
    ///   - frame: how the view looks at a progress from 0 to 1, which is linear in time. Called on the main actor's
    ///     thread.
    public static func custom(
        _ name: String, duration: Duration, frame: @escaping @Sendable (_ progress: Double) -> Frame
    ) -> ImageTransition {
        .custom(Animation(name: name, duration: duration, frame: frame))
    }
}
