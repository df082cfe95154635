import FirnSync

/// Computes the frames of an image sequence: which sample is shown, and for how long.
///
/// A pure value. Samples are sorted by presentation time; an image is shown until the next one's time. The edit list
/// then cuts, repeats and holds parts of that.
struct SequenceTimeline {
    /// One frame.
    struct Frame: Equatable {
        /// The sample, numbered in decoding order.
        var sample: Int
        /// The duration in milliseconds, rounded to nearest; at most ``StoredFrame/longestDuration``.
        var duration: Int
    }

    /// Units per second of the media, and of the edit list; not 0.
    typealias Scales = (media: Int, movie: Int)

    private(set) var frames: [Frame] = []

    /// An image of the media, shown from `start` until `end`.
    private typealias Shown = (sample: Int, start: Int, end: Int)

    /// - Complexity: O(s log s + e log s + f) for s samples, e edits and f frames.
    /// - Throws: ``ImageError/Fault/limit`` if an edit list results in more frames than allowed.
    init(
        _ samples: [SampleTable.Sample], _ edits: EditList?, _ scales: Scales, _ limits: ImageLimits,
        _ watch: DecodingWatch
    ) throws(ImageError) {
        try watch.step(samples.count)
        let shown = SequenceTimeline.shown(samples)
        for edit in edits?.edits ?? [] {
            try watch.step()
            try add(shown, edit, scales, limits, watch)
        }
        // Without a list, or with one that leaves nothing, all images are shown.
        if frames.isEmpty {
            try add(shown, EditList.Edit(duration: 0, start: Int.min, dwells: false), scales, limits, watch)
        }
    }

    /// Returns the images in presentation order.
    private static func shown(_ samples: [SampleTable.Sample]) -> [Shown] {
        // Samples of the same time are shown in decoding order.
        let order = samples.indices.sorted { samples[$0].time < samples[$1].time }
        var shown = order.map { (sample: $0, start: samples[$0].time, end: samples[$0].time) }
        for index in shown.indices.dropLast() { shown[index].end = shown[index + 1].start }
        guard let last = shown.last, let first = shown.first else { return [] }
        var duration = samples[last.sample].duration
        if last.sample != samples.count - 1 {
            // The time to the next decode does not tell how long the last image is shown; the total of all durations
            // does.
            let total = samples.reduce(0) { $0.saturatingAdd($1.duration) }
            let left = SequenceTimeline.distance(first.start.saturatingAdd(total), last.start)
            if left > 0 { duration = left }
        }
        shown[shown.count - 1].end = last.start.saturatingAdd(duration)
        return shown
    }

    private mutating func add(
        _ shown: [Shown], _ edit: EditList.Edit, _ scales: Scales, _ limits: ImageLimits, _ watch: DecodingWatch
    ) throws(ImageError) {
        let length = SequenceTimeline.scaled(edit.duration, scales.media, scales.movie)
        if edit.dwells {
            guard !shown.isEmpty else { return }
            let held = shown[max(0, shown.firstPlace { $0.start > edit.start } - 1)]
            return try append(held.sample, length, scales, limits)
        }
        // Edit durations are rounded to units of the movie, which may be coarse.
        let tick = scales.movie < scales.media ? scales.media / scales.movie : 0
        let end = edit.duration == 0 ? Int.max : edit.start.saturatingAdd(length)
        // Among the images that start before the part, only the last one can reach into it.
        let first = max(0, shown.firstPlace { $0.start >= edit.start } - 1)
        for index in first..<max(first, shown.firstPlace { $0.start >= end }) {
            try watch.step()
            let image = shown[index]
            let isLast = index == shown.count - 1 && edit.start <= max(image.start, image.end - 1)
            let from = max(image.start, edit.start)
            var to = min(image.end, end)
            if image.end > end, SequenceTimeline.distance(image.end, end) <= tick { to = image.end }
            // The last image stays until the edit ends.
            if isLast, end != Int.max, end > image.end, SequenceTimeline.distance(end, image.end) > tick { to = end }
            let isWhole = from == image.start && to >= image.end
            guard isWhole ? image.start < end : to > from && SequenceTimeline.distance(to, from) > tick else {
                continue
            }
            try append(image.sample, SequenceTimeline.distance(to, from), scales, limits)
        }
    }

    private mutating func append(
        _ sample: Int, _ duration: Int, _ scales: Scales, _ limits: ImageLimits
    ) throws(ImageError) {
        guard frames.count < limits.maximumFrames else { throw limits.tooManyFrames }
        let milliseconds = SequenceTimeline.scaled(duration, 1000, scales.media)
        frames.append(Frame(sample: sample, duration: min(milliseconds, StoredFrame.longestDuration)))
    }

    /// Returns `later - earlier`, at least 0 and clamped to `Int.max`.
    private static func distance(_ later: Int, _ earlier: Int) -> Int {
        max(0, later.saturatingSubtract(earlier))
    }

    /// Returns `value * factor / divisor`, rounded to nearest and clamped to `Int.max`.
    private static func scaled(_ value: Int, _ factor: Int, _ divisor: Int) -> Int {
        guard value > 0, factor > 0, divisor > 0 else { return 0 }
        // Two numbers of 63 bits, and half of a third, fit into 127 bits.
        return Int(clamping: (Int128(value) * Int128(factor) + Int128(divisor / 2)) / Int128(divisor))
    }
}

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
