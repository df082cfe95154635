import Firn
import FoundationEssentials
import Testing

/// Compares the memory that a decode is expected to take, which the caller's limit is compared with, with its peak.
@Suite final class EstimateTests: CommandSuite {
    /// Loads a file in the command's own process.
    private func load(_ name: String, _ options: [String] = []) throws -> BuiltCommand.Outcome {
        try firn.run(["load", "--no-cache", "--isolation", "none", "--json"] + options + [name], in: scratch)
    }

    /// Returns the bytes that a decode is expected to take, from the refusal by a limit that is too small.
    private func estimate(_ name: String) throws -> Int {
        let run = try load(name, ["--limits", "memory=1"])
        let number = run.output.split(separator: "decoding takes ").last?.prefix { $0.isNumber }
        return try #require(number.flatMap { Int($0) }, "\(run.output)\(run.errors)")
    }

    /// Returns the peak of memory that the command reports, in bytes.
    private func peak(_ name: String) throws -> Int {
        let run = try load(name)
        let summary = run.lines.last?.split(separator: #""peakMemory":"#).last?.prefix { $0.isNumber }
        return try #require(summary.flatMap { Int($0) }, "\(run.output)\(run.errors)")
    }

    /// Noise, which compresses badly, so that libraries hold much.
    private func noise(_ size: PixelSize, _ format: PixelFormat) throws -> Bitmap {
        try Bitmap(size: size, format: format) { pixels in
            for y in 0..<size.height {
                let count = size.width * format.bytesPerPixel
                let start = y &* 7919 % (EstimateTests.random.count - count)
                EstimateTests.random.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(start: pixels.row(y), count: count)
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
                }
            }
        }
    }

    private static let random: [UInt8] = {
        var state: UInt64 = 7
        return (0..<1 << 16).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 57)
        }
    }()

    @Test(arguments: ImageEncoders.formats, [PixelFormat.rgb8, .rgba8Straight, .rgba16Straight])
    func `the estimate is at least the peak`(format: ImageFormat, pixels: PixelFormat) throws {
        let (name, small) = ("noise.\(format.rawValue)", "small.\(format.rawValue)")
        // JPEG has no alpha.
        if format == .jpeg, pixels != .rgb8 { return }
        let encoder = try #require(ImageEncoders.encoder(for: format))
        // ICO holds at most 256 pixels a side.
        let size = format == .ico ? PixelSize(width: 256, height: 256) : PixelSize(width: 2400, height: 1600)
        try scratch.write(name, encoder.encode(noise(size, pixels)))
        try scratch.write(small, encoder.encode(noise(PixelSize(width: 16, height: 16), pixels)))
        // Pages of the heap and of code that only decoding much uses.
        let reserve = 6 << 20
        let (expected, taken) = (try estimate(name), try peak(name) - peak(small))
        #expect(expected + reserve >= taken, "\(name) of \(pixels)")
    }

    @Test(arguments: [ImageFormat.avif])
    func `a file that declares less than its stream holds takes no more than it may`(format: ImageFormat) throws {
        let image = try noise(PixelSize(width: 3000, height: 2000), .rgb8)
        var file = try #require(ImageEncoders.encoder(for: format)).encode(image)
        let size = try #require(file.firstRange(of: Data("ispe".utf8)))
        file.replaceSubrange(size.upperBound + 4..<size.upperBound + 12, with: [0, 0, 0, 64, 0, 0, 0, 64])
        try scratch.write("lie", file)
        let run = try load("lie")
        #expect(run.status == 1, "\(run.output)")
    }
}
