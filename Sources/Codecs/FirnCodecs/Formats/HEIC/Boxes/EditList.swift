import FirnSync

/// The parts of a track's media that are shown, and how often.
///
/// - Source: ISO/IEC 14496-12 §8.6.6; ISO/IEC 23008-12 §7.3.2 (the flag that repeats the list).
struct EditList {
    /// One part.
    struct Edit {
        /// The duration in units of the movie; 0 means up to the end.
        var duration: Int
        /// The start of the part, in units of the media.
        var start: Int
        /// True if the image at `start` is held for `duration`.
        var dwells: Bool
    }

    var edits: [Edit]
    /// True if the list repeats until the track ends.
    var repeats = false

    init(edits: [Edit]) { self.edits = edits }

    /// Reads the edits of a track; leaves out parts that show nothing.
    init?(_ box: ISOBox, of chain: ByteChain) {
        guard var fields = box.fields(of: chain), let (version, flags) = fields.versionAndFlags(),
            var left = fields.number(4)
        else { return nil }
        edits = []
        repeats = flags & 1 != 0
        let size = version == 1 ? 8 : 4
        while left > 0, let duration = fields.number(size), let start = fields.signed(size),
            let rate = fields.number(4)
        {
            left -= 1
            // -1 is a pause before the first image.
            if start >= 0 { edits.append(Edit(duration: duration, start: start, dwells: rate >> 16 == 0)) }
        }
    }

    /// The total duration of all parts; `nil` if one has no end or the sum overflows.
    var duration: Int? {
        let sum = edits.reduce(0) { $0.saturatingAdd($1.duration) }
        return sum < Int.max && edits.allSatisfy { $0.duration > 0 } ? sum : nil
    }
}
