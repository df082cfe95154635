import Firn
import FirnFigures
import FoundationEssentials

/// Compares processors with libvips, Pillow and `memcpy` on an image of 12 megapixels, with one thread and with two.
///
/// Both sides create every image anew, including its memory; `memcpy` copies into a new image. The peers run between
/// our rounds, so that a slow moment affects both.
struct ProcessingBenchmark {
    let rounds: Int
    private static let size = PixelSize(width: 4000, height: 3000)
    private static let small = PixelSize(width: 1155, height: 866)
    private static let radius = 8

    /// One measurement: a processor of ours on one layout.
    private struct Case {
        let name: String
        let processor: any ImageProcessing
        let format: PixelFormat
        /// The peers' names for the operation.
        let peers: [String]
    }

    private static let cases: [Case] = [
        Case(
            name: "resize", processor: ImageProcessors.Resize(exactly: small), format: .rgb8,
            peers: ["vips.resize", "pillow.resize"]),
        Case(
            name: "resize4", processor: ImageProcessors.Resize(exactly: small), format: .bgra8Premultiplied,
            peers: ["vips.resize4", "pillow.resize4"]),
        Case(
            name: "resize-linear", processor: ImageProcessors.Resize(exactly: small, linearLight: true), format: .rgb8,
            peers: []),
        Case(
            name: "blur", processor: ImageProcessors.GaussianBlur(radius: Double(radius)), format: .rgb8,
            peers: ["pillow.blur", "vips.blur"]),
        Case(
            name: "blur4", processor: ImageProcessors.GaussianBlur(radius: Double(radius)), format: .bgra8Premultiplied,
            peers: ["pillow.blur4", "vips.blur4"]),
        Case(
            name: "blur-exact", processor: ImageProcessors.GaussianBlur(radius: 3), format: .rgb8, peers: []),
        Case(
            name: "sharpen", processor: ImageProcessors.Sharpen(amount: 0.6, radius: 2), format: .rgb8,
            peers: ["pillow.sharpen"]),
        Case(
            name: "matrix", processor: ImageProcessors.ColorMatrix.sepia(), format: .bgra8Premultiplied,
            peers: ["memcpy", "vips.matrix", "pillow.matrix"]),
        Case(
            name: "matrix3", processor: ImageProcessors.ColorMatrix.sepia(), format: .rgb8,
            peers: ["memcpy", "vips.matrix", "pillow.matrix"]),
        Case(
            name: "rounded", processor: ImageProcessors.RoundedCorners(radius: 200), format: .bgra8Premultiplied,
            peers: ["memcpy"]),
        Case(
            name: "circle", processor: ImageProcessors.Circle(), format: .bgra8Premultiplied, peers: ["memcpy"]),
        Case(
            name: "flatten", processor: ImageProcessors.Flatten(), format: .bgra8Premultiplied, peers: ["memcpy"]
        ),
        Case(
            name: "blend", processor: ImageProcessors.Blend(color: SRGBColor(red: 9, green: 8, blue: 7, alpha: 99)),
            format: .bgra8Premultiplied, peers: ["pillow.over"]),
        Case(
            name: "flip", processor: ImageProcessors.Flip(), format: .bgra8Premultiplied,
            peers: ["pillow.flip", "vips.flip"]),
        Case(
            name: "turn", processor: ImageProcessors.Rotate(.right), format: .bgra8Premultiplied,
            peers: ["pillow.turn", "vips.turn"]),
    ]

    func run() throws -> [Figure] {
        var figures: [Figure] = []
        for threads in [1, 2] {
            // Our rounds run in two halves, before and after the peers.
            var times = try ours(threads)
            let peers = self.peers(threads)
            for (name, more) in try ours(threads) { times[name, default: []] += more }
            for entry in Self.cases {
                let own = median(times[entry.name] ?? [])
                for peer in entry.peers {
                    let theirs = peer == "memcpy" ? median(times["memcpy.\(entry.format)"] ?? []) : peers[peer]
                    guard let theirs, theirs > 0 else { continue }
                    figures.append(figure("processors.\(entry.name).\(threads)", own, peer, theirs))
                }
                if entry.peers.isEmpty {
                    figures.append(figure("processors.\(entry.name).\(threads)", own, nil, nil))
                }
            }
        }
        return figures
    }

    private func figure(_ name: String, _ own: Double, _ peer: String?, _ theirs: Double?) -> Figure {
        func speed(_ seconds: Double) -> String { "\(Int(Double(Self.size.area) / seconds / 1e6)) Mpx/s" }
        // The library's name: "vips" of "vips.resize".
        let library = peer.map { $0.prefix { $0 != "." } }
        return Figure(
            name: library.map { "\(name).\($0)" } ?? name, value: own * 1000, unit: "ms",
            peer: library.map { String($0) }, peerValue: theirs.map { $0 * 1000 },
            note: speed(own) + (theirs.map { ", \(speed($0))" } ?? ""))
    }

    private func ours(_ threads: Int) throws -> [String: [Double]] {
        var times: [String: [Double]] = [:]
        let context = ImageProcessingContext(stripes: threads == 1 ? SerialStripes() : StripeCrew.shared)
        for format in [PixelFormat.rgb8, .bgra8Premultiplied] {
            let source = try image(format)
            for round in 0...rounds {
                let copy = try time { try copied(source) }
                if round > 0 { times["memcpy.\(format)", default: []].append(copy) }
                for entry in Self.cases where entry.format == format {
                    let seconds = try time {
                        try entry.processor.process(ImageContainer(image: source), context: context).image
                    }
                    // The first round is a warm-up.
                    if round > 0 { times[entry.name, default: []].append(seconds) }
                }
            }
        }
        return times
    }

    private func peers(_ threads: Int) -> [String: Double] {
        let (size, small) = (Self.size, Self.small)
        let numbers = [size.width, size.height, small.width, small.height, Self.radius, rounds].map { "\($0)" }
        let script = "Benchmarks/peers/processors.py"
        // The system's Python has the libraries; another Python may come first on the path.
        let command = ["env", "VIPS_CONCURRENCY=\(threads)", "/usr/bin/python3", script] + numbers
        guard let output = ChildProcess.run(command)?.output else {
            print("processors: no peers: \(script) did not run")
            return [:]
        }
        var times: [String: Double] = [:]
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let seconds = Double(words[1]) { times[String(words[0])] = seconds }
        }
        return times
    }

    private func copied(_ source: Bitmap) throws -> Bitmap {
        try Bitmap(size: source.size, format: source.format) { pixels in
            source.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                pixels.base.copyMemory(from: base, byteCount: bytes.count)
            }
        }
    }

    private func image(_ format: PixelFormat) throws -> Bitmap {
        try Bitmap(size: Self.size, format: format) { pixels in
            let count = Self.size.width * format.bytesPerPixel
            for y in 0..<Self.size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<count { row[x] = UInt8(truncatingIfNeeded: (x &* 7 &+ y &* 13) >> 1 | 3) }
                if format.hasAlpha { for x in stride(from: 3, to: count, by: 4) { row[x] = 255 } }
            }
        }
    }

    private func time(_ body: () throws -> Bitmap) rethrows -> Double {
        let start = Stopwatch.wallNow
        let image = try body()
        return withExtendedLifetime(image) { Stopwatch.wallNow - start }
    }

    private func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.median }
}
