/// How many frames of an animation may be resident at once: shown, decoded ahead, and being decoded.
package struct AnimationBudget: Hashable, Sendable {
    /// Most frames. Default: 8. At least 2 are always allowed, the one shown and the next.
    package var maximumFrames = 8
    /// Most bytes of frames, but for the two that are always allowed. Default: 80 MiB: 8 frames of full HD fit.
    package var maximumBytes = 80 << 20
    /// How far ahead of what is shown frames are decoded. Default: 1 s.
    package var lookahead = Duration.seconds(1)

    /// Creates the defaults.
    package init() {}

    /// Frames of `bytes` each that may be resident.
    func frames(of bytes: Int) -> Int {
        max(2, min(maximumFrames, bytes > 0 ? maximumBytes / bytes : maximumFrames))
    }
}
