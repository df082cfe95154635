/// The result of judging one image of the corpus.
struct ImageJudgment {
    /// A difference from the manifest.
    struct Miss {
        var file: String
        /// The compared property: `size`, `orientation`, `pixels` …
        var what: String
        var expected: String
        var got: String

        /// The known reason of the difference; `nil` if there is none.
        var reason: String? { KnownDifferences.reason(for: file) }
    }

    /// The result of comparing pixels.
    enum Pixels {
        /// Equal to the pixels on which two other decoders agree.
        case same
        /// Not equal, or without agreed pixels, but the same colors within the tolerance.
        case close
        case different
        /// The manifest has no pixels, or the image is not in the sample.
        case notCompared
    }

    var misses: [Miss] = []
    /// True if size, orientation, frames, durations and loops match the manifest.
    var isDescribedRight = true
    /// True if two other decoders agree on every pixel.
    var isExact = false
    var pixels = Pixels.notCompared
    /// True if all composited frames match those of two other decoders; `nil` if they were not compared.
    var hasSameFrames: Bool?
}
