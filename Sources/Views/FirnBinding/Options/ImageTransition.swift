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
}
