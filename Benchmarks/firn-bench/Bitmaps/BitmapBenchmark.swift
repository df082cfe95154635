import Firn
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Reads an image of 1920 × 1080 from the bitmap store, compared with decoding its JPEG; the page cache is warm for
/// both.
struct BitmapBenchmark {
    /// The path of a photograph; `nil` for a drawn image.
    let photograph: String?
    let rounds: Int
    private static let size = PixelSize(width: 1920, height: 1080)

    func run() throws -> [Figure] {
        let folder = "/tmp/firn-bench-bitmaps-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let jpeg = try JPEGEncoder().encode(try image())
        let decoded = try decode(jpeg)
        let store = BitmapStore.disk(path: folder)
        try store.store(ImageContainer(image: decoded, format: .jpeg), for: "a 1080p image")
        var (decodes, hits, touches, stores): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for round in 0..<rounds * 4 + 1 {
            let decode = try time(10) { _ = try self.decode(jpeg) }
            let hit = try time(200) {
                guard store.image(for: "a 1080p image") != nil else { throw CancellationError() }
            }
            let touch = try time(20) {
                guard let found = store.image(for: "a 1080p image") else { throw CancellationError() }
                touchPages(found.image)
            }
            let write = try time(3) { try store.store(ImageContainer(image: decoded, format: .jpeg), for: "another") }
            // The first round is a warm-up.
            guard round > 0 else { continue }
            decodes.append(decode)
            hits.append(hit)
            touches.append(touch)
            stores.append(write)
        }
        let whole = decodes.median
        return [("hit", hits), ("hitAndTouch", touches), ("store", stores)].map { name, times in
            Figure(
                name: "bitmaps.\(name)", value: times.median, unit: "ms", peer: "decode of the JPEG", peerValue: whole)
        }
    }

    private func decode(_ data: Data) throws -> Bitmap {
        guard let decoder = ImageDecoders.standard.first(where: { $0.recognizes(data.prefix(32)) != nil }) else {
            throw CancellationError()
        }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return try session.decode(DecodingOptions())
    }

    /// Returns the photograph at the size, or a drawn image with noise, which is as hard to decode.
    private func image() throws -> Bitmap {
        if let photograph, let data = try? Data(contentsOf: URL(filePath: photograph)) {
            return try decode(data).resized(to: BitmapBenchmark.size)
        }
        var random: UInt64 = 1
        return try Bitmap(size: BitmapBenchmark.size, isOpaque: true) { pixels in
            for y in 0..<pixels.size.height {
                let row = pixels.row(y)
                for x in 0..<pixels.size.width {
                    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let noise = Int(random >> 60)
                    row.storeBytes(of: UInt8(truncatingIfNeeded: x / 8 + noise), toByteOffset: x * 4, as: UInt8.self)
                    row.storeBytes(
                        of: UInt8(truncatingIfNeeded: y / 5 + noise), toByteOffset: x * 4 + 1, as: UInt8.self)
                    row.storeBytes(of: UInt8(truncatingIfNeeded: (x + y) / 12), toByteOffset: x * 4 + 2, as: UInt8.self)
                    row.storeBytes(of: 255, toByteOffset: x * 4 + 3, as: UInt8.self)
                }
            }
        }
    }

    /// Reads one byte of every page.
    @inline(never)
    private func touchPages(_ image: Bitmap) {
        let sum = image.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 &+ Int(bytes[$1]) }
        }
        withExtendedLifetime(sum) {}
    }

    /// Returns the mean CPU time of one run in milliseconds.
    private func time(_ runs: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = Stopwatch.cpuNow
        for _ in 0..<runs { try body() }
        return (Stopwatch.cpuNow - start) / 1000 / Double(runs)
    }
}
