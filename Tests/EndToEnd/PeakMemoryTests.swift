import FirnImage
import FoundationEssentials
import Testing

/// Measures the peak resident memory of the command while it reduces a large image to a small one.
@Suite final class PeakMemoryTests: CommandSuite {
    /// Makes a thumbnail of 200 × 200 pixels, and returns the run and the peak that it reports.
    private func run(_ name: String) throws -> (run: BuiltCommand.Outcome, peak: Int) {
        let arguments = ["load", "--size", "200x200", "--no-cache", "--json", "--out", "thumbnails", name]
        let run = try firn.run(arguments, in: scratch)
        let summary = try #require(run.lines.last?.split(separator: #""peakMemory":"#).last, "\(run.errors)")
        return (run, try #require(Int(summary.prefix { $0.isNumber })))
    }

    /// Returns the peak of one thumbnail that succeeds.
    private func peak(_ name: String) throws -> Int {
        let (run, peak) = try run(name)
        #expect(run.status == 0, "\(name): \(run.errors)")
        return peak
    }

    /// Enough for a strip of rows and a row of sums; for a progressive JPEG, for three bytes of each block.
    private static let most = 12 << 20

    @Test(arguments: ["png-gray", "png-rgb", "png-bits", "jpeg", "jpeg-progressive"])
    func `a thumbnail of 100 megapixels takes at most 12 MiB more than one of a small image (F1)`(
        kind: String
    ) throws {
        try scratch.write("small.png", Images.png(300, 200))
        let file =
            switch kind {
            case "png-gray": HugeImages.png(colorType: 0)
            case "png-rgb": HugeImages.png(colorType: 2)
            case "png-bits": HugeImages.png(colorType: 0, depth: 1)
            case "jpeg": HugeImages.jpeg(progressive: false)
            default: HugeImages.jpeg(progressive: true)
            }
        try scratch.write("huge", file)
        let small = try peak("small.png")
        let huge = try peak("huge")
        #expect(huge - small < PeakMemoryTests.most, "\(kind): \(huge >> 20) MiB, \(small >> 20) MiB of the small one")
    }

    @Test func `A single row of 2^28 pixels is refused, and takes no memory`() throws {
        let size: [UInt8] = [0x10, 0, 0, 0, 0, 0, 0, 1]
        let pixels = [UInt8](repeating: 0xFD, count: 1 << 20)
        try scratch.write("row.qoi", Data(Array("qoif".utf8) + size + [4, 0] + pixels))
        try scratch.write("small.png", Images.png(300, 200))
        let small = try peak("small.png")
        let (run, peak) = try run("row.qoi")
        #expect(run.status == 1)
        #expect(run.output.contains("has rows of 268435456 pixels"))
        #expect(peak - small < PeakMemoryTests.most)
    }
}
