/// Conversions that neither overflow nor trap. Results are at most 2^30 in magnitude.
enum ImgproxyRounding {
    static let limit = 1 << 30

    /// Rounds half away from zero.
    static func round(_ value: Double) -> Int { integer(value.rounded(.toNearestOrAwayFromZero)) }

    /// Rounds half to even.
    static func even(_ value: Double) -> Int { integer(value.rounded(.toNearestOrEven)) }

    /// Scales a side that is present: at least 1, or 0 if `side` is 0.
    static func side(_ side: Int, _ scale: Double) -> Int { side <= 0 ? 0 : max(1, round(Double(side) * scale)) }

    /// Scales a side, which need not be whole: at least 1.
    static func side(_ side: Double, _ scale: Double) -> Int { max(1, round(side * scale)) }

    /// Returns the smaller of the sides that are not 0.
    static func smallest(_ one: Int, _ other: Int) -> Int { one == 0 ? other : other == 0 ? one : min(one, other) }

    static func integer(_ value: Double) -> Int {
        guard !value.isNaN else { return 0 }
        return Int(min(max(value, Double(-limit)), Double(limit)))
    }

    static func clamp(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        value.isNaN ? 1 : min(max(value, range.lowerBound), range.upperBound)
    }
}
