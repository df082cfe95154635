import Firn
import FirnReport

/// The passes of the demo as a table with one row each.
enum DemoTable {
    static func text(_ passes: [DemoPass.Result]) -> String {
        var table = TextTable([
            .init("pass", alignment: .left), .init("images"), .init("network"), .init("memory", "hits"),
            .init("disk", "hits"), .init("loads"), .init("coalesced"), .init("p50", "to image"),
            .init("p95", "to image"), .init("wall"), .init("peak", "memory"),
        ])
        for pass in passes {
            let times = Percentiles(pass.times)
            table.append([
                pass.name, "\(pass.images)", ByteText.text(pass.statistics.bytesLoaded),
                "\(pass.statistics.memoryHits)", "\(pass.statistics.diskHits)", "\(pass.statistics.transfers)",
                "\(pass.statistics.coalesced)", text(times.value(at: 50)), text(times.value(at: 95)),
                DurationText.text(pass.wall), ByteText.text(pass.peakMemory),
            ])
        }
        return table.lines.joined(separator: "\n")
    }

    private static func text(_ duration: Duration?) -> String { duration.map(DurationText.text) ?? "-" }
}
