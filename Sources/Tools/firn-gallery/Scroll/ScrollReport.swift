#if GTK
import Firn
import FirnReport

/// The result of a scroll.
struct ScrollReport {
    var gaps: [Int64] = []
    var paints: [Int64] = []
    var hits: [Int64] = []
    var misses: [Int64] = []
    var deliveries: [Int64] = []
    var shown = 0
    var wrong = 0
    var settleMilliseconds = 0.0
    var bytes = 0
    var peak = 0
    var processor = Duration.zero
    /// The number of images delivered to cells, and the time on the drawing thread for that.
    var delivered = 0
    var deliveryTime = Duration.zero
    var texture: TextureCost?

    /// A gap longer than this is a visible stutter.
    static let lateNanoseconds: Int64 = 35_000_000

    var json: JSONValue {
        let deliverAll: Double? = delivered > 0 ? deliveryTime / .microseconds(1) / Double(delivered) : nil
        return .object([
            ("frames", .int(gaps.count)),
            ("gapP50Ms", percentile(gaps, 50, 1e6)), ("gapP99Ms", percentile(gaps, 99, 1e6)),
            ("lateFrames", .int(gaps.count { $0 > ScrollReport.lateNanoseconds })),
            ("paintP50Ms", percentile(paints, 50, 1e6)), ("paintP99Ms", percentile(paints, 99, 1e6)),
            ("bindHitP50Us", percentile(hits, 50, 1e3)), ("bindHitP99Us", percentile(hits, 99, 1e3)),
            ("bindMissP50Us", percentile(misses, 50, 1e3)), ("bindMissP99Us", percentile(misses, 99, 1e3)),
            ("deliverP50Us", percentile(deliveries, 50, 1e3)), ("deliverP99Us", percentile(deliveries, 99, 1e3)),
            ("delivered", .int(delivered)), ("deliverAllUs", .tenths(deliverAll)),
            ("textureNs", JSONValue(texture.map { Int($0.firn) })),
            ("bareTextureNs", JSONValue(texture.map { Int($0.bare) })),
            ("shown", .int(shown)), ("wrongImages", .int(wrong)), ("settleMs", .tenths(settleMilliseconds)),
            ("bytes", .int(bytes)), ("peakMiB", .mebibytes(peak)), ("processorSeconds", .tenths(processor.seconds)),
        ])
    }

    /// Returns a percentile of times in nanoseconds, in a unit of so many.
    private func percentile(_ times: [Int64], _ percent: Double, _ unit: Double) -> JSONValue {
        .tenths(Percentiles(times).value(at: percent).map { Double($0) / unit })
    }
}
#endif
