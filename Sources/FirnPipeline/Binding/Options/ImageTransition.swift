/// How a picture takes the place of what was shown before.
///
/// A wish: a toolkit does it as it can, and not at all where the user asked for less motion.
public enum ImageTransition: Hashable, Sendable {
    /// The picture fades in over what was shown.
    case fadeIn(duration: Duration)

    /// Fades in within a quarter of a second.
    public static let fadeIn = ImageTransition.fadeIn(duration: .milliseconds(250))
}
