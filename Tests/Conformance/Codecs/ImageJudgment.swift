/// What was found of one image of the corpus.
struct ImageJudgment {
    /// Something that is not as the manifest says.
    struct Miss {
        var file: String
        /// What was compared: `size`, `orientation`, `pixels` …
        var what: String
        var expected: String
        var got: String

        /// Why it is so, if that is known.
        var reason: String? { KnownDifferences.reason(for: file) }
    }

    /// How the pixels compare.
    enum Pixels {
        /// Equal to what two other decoders agree on.
        case same
        /// Not equal, or there is nothing to be equal to, but of the same colors within tolerance.
        case close
        case different
        /// The manifest says nothing, or they were left out of a sample.
        case notCompared
    }

    var misses: [Miss] = []
    /// Whether size, orientation, frames, durations and loops are those of the manifest.
    var isDescribedRight = true
    /// Whether two other decoders agree on every pixel.
    var isExact = false
    var pixels = Pixels.notCompared
    /// Whether all composited frames are those of two other decoders; `nil` where that was not compared.
    var hasSameFrames: Bool?
}
