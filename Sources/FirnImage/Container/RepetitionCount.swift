/// The number of times that an animation is played.
public enum RepetitionCount: Hashable, Sendable {
    /// This many times in all, at least once; the last frame then stays.
    case plays(Int)
    /// Without end.
    case forever

    /// Played a single time: what a file means that says nothing.
    public static let once = RepetitionCount.plays(1)

    /// Whether an animation that was played `count` times in full is over.
    public func isOver(after count: Int) -> Bool {
        switch self {
        case .plays(let plays): count >= plays
        case .forever: false
        }
    }
}

extension ImageProperties {
    /// How often the animation is played, from the number stored.
    ///
    /// A GIF's number counts the repetitions after the first play; APNG, WebP and JPEG XL store how often the animation is
    /// played in all. Everywhere 0 means without end. A file that says nothing is played once, apart from AVIF and HEIC
    /// sequences, which browsers and Apple's systems repeat without end.
    ///
    /// While bytes still come the number may appear late: until then the animation is one that is played once.
    /// - Source: Netscape application extension of GIF as WebKit and Chromium read it; PNG (third edition) §11.3.4.1
    ///   `acTL` `num_plays`; RFC 9649 §2.7.1.1 "Loop Count"; ISO/IEC 18181-1 `num_loops`.
    public var repetitionCount: RepetitionCount {
        guard let loopCount else {
            // Of HEIC, images that are no sequence have no durations.
            let isSequence = format == .avif || (format == .heic && frameDurations != nil)
            return isSequence && frameCount > 1 ? .forever : .once
        }
        // A negative number is nothing that a format can store.
        guard loopCount > 0 else { return loopCount == 0 ? .forever : .once }
        guard format == .gif else { return .plays(loopCount) }
        let (plays, overflow) = loopCount.addingReportingOverflow(1)
        return overflow ? .forever : .plays(plays)
    }
}
