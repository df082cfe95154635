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

    private var json: JSONValue {
        .object([
            ("frames", .int(gaps.count)),
            ("gapP50Ms", milliseconds(gaps, 50)), ("gapP99Ms", milliseconds(gaps, 99)),
            ("lateFrames", .int(gaps.count { $0 > ScrollReport.lateNanoseconds })),
            ("paintP50Ms", milliseconds(paints, 50)), ("paintP99Ms", milliseconds(paints, 99)),
            ("bindHitP50Us", microseconds(hits, 50)), ("bindHitP99Us", microseconds(hits, 99)),
            ("bindMissP50Us", microseconds(misses, 50)), ("bindMissP99Us", microseconds(misses, 99)),
            ("deliverP50Us", microseconds(deliveries, 50)), ("deliverP99Us", microseconds(deliveries, 99)),
            ("delivered", .int(delivered)),
            (
                "deliverAllUs",
                delivered > 0 ? .double(rounded(deliveryTime / .microseconds(1) / Double(delivered))) : .null
            ),
            ("textureNs", texture.map { .int(Int($0.firn)) } ?? .null),
            ("bareTextureNs", texture.map { .int(Int($0.bare)) } ?? .null),
            ("shown", .int(shown)), ("wrongImages", .int(wrong)),
            ("settleMs", .double(rounded(settleMilliseconds))), ("bytes", .int(bytes)),
            ("peakMiB", .double(rounded(Double(peak) / 1_048_576))),
            (
                "processorSeconds",
                .double(
                    rounded(
                        Double(processor.components.seconds)
                            + Double(processor.components.attoseconds) / 1e18))
            ),
        ])
    }

    /// Writes the report; prints it if there is no file.
    func write(to path: String?) -> Bool { ReportFile.write(json, to: path) }

    private func milliseconds(_ times: [Int64], _ percent: Double) -> JSONValue {
        Percentiles(times).value(at: percent).map { .double(rounded(Double($0) / 1e6)) } ?? .null
    }

    private func microseconds(_ times: [Int64], _ percent: Double) -> JSONValue {
        Percentiles(times).value(at: percent).map { .double(rounded(Double($0) / 1e3)) } ?? .null
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
#endif
