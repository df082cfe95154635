/// The number of times that an animation is played.
public enum RepetitionCount: Hashable, Sendable {
    /// A total number of plays, at least one; then the last frame stays.
    case plays(Int)
    /// Without end.
    case forever

    /// A single play, the default of files that state no number.
    public static let once = RepetitionCount.plays(1)

    /// Returns whether an animation that was played `count` times has ended.
    public func isOver(after count: Int) -> Bool {
        switch self {
        case .plays(let plays): count >= plays
        case .forever: false
        }
    }
}

extension ImageProperties {
    /// The number of plays, computed from ``loopCount``.
    ///
    /// A GIF's number counts repetitions after the first play. APNG, WebP and JPEG XL store the total number of plays.
    /// In all of them, 0 means forever. A file without a number is played once, except for AVIF and HEIC sequences,
    /// which browsers and Apple's systems repeat forever.
    ///
    /// The number may arrive late; until then the animation counts as played once.
    ///
    /// - Source: Netscape application extension of GIF as WebKit and Chromium read it; PNG (third edition) §11.3.4.1
    ///   `acTL` `num_plays`; RFC 9649 §2.7.1.1 "Loop Count"; ISO/IEC 18181-1 `num_loops`.
    public var repetitionCount: RepetitionCount {
        guard let loopCount else {
            // HEIC images that are not a sequence have no durations.
            let isSequence = format == .avif || (format == .heic && frameDurations != nil)
            return isSequence && frameCount > 1 ? .forever : .once
        }
        // Formats cannot store negative numbers.
        guard loopCount > 0 else { return loopCount == 0 ? .forever : .once }
        guard format == .gif else { return .plays(loopCount) }
        let (plays, overflow) = loopCount.addingReportingOverflow(1)
        return overflow ? .forever : .plays(plays)
    }
}
