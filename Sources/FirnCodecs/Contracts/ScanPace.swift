import FirnImage

/// Checks a ``DecodingWatch`` at every 256th small step, because reading the clock costs as much as such a step.
struct ScanPace {
    private var steps: UInt8 = 0

    /// - Throws: what ``DecodingWatch/check()`` throws.
    mutating func step(_ watch: DecodingWatch) throws(ImageDecodingError) {
        steps &+= 1
        if steps == 0 { try watch.check() }
    }
}
