import Firn
import FirnFigures
import FoundationEssentials
import Glibc

/// JPEG and WebP of photographs against `cjpeg` and `cwebp` at the same settings: bytes, likeness to the original, CPU time;
/// and what storing a processed picture costs in each of the formats that lose nothing that is seen.
struct EncoderBenchmark {
    let photographs: [String]
    let rounds: Int
    /// The photographs' longer side.
    private static let side = 1600
    /// Enough to see a difference, few enough for a short run.
    private static let most = 4

    private struct Peer: Sendable {
        let name: String
        let encoder: any ImageEncoding
        /// The command up to the name of the pixmap; it writes to `target`.
        let command: @Sendable (_ pixmap: String, _ target: String) -> [String]
    }

    private static let peers: [Peer] =
        [75, 85, 95].map { quality in
            Peer(
                name: "jpeg.\(quality)", encoder: JPEGEncoder(quality: Double(quality) / 100, chroma: .quarter),
                command: { ["cjpeg", "-quality", "\(quality)", "-outfile", $1, $0] })
        }
        + [75, 90].map { quality in
            Peer(
                name: "webp.\(quality)", encoder: WebPEncoder(quality: Double(quality) / 100),
                command: { ["cwebp", "-quiet", "-q", "\(quality)", $0, "-o", $1] })
        }
        + [
            Peer(
                name: "webp.lossless", encoder: WebPEncoder(lossless: true),
                command: { ["cwebp", "-quiet", "-lossless", "-exact", $0, "-o", $1] })
        ]

    private static let stores: [(name: String, encoder: any ImageEncoding)] = [
        ("jpeg-92", JPEGEncoder(quality: 0.92, chroma: .full)), ("jpeg-95", JPEGEncoder(quality: 0.95, chroma: .full)),
        ("webp-lossless-0", WebPEncoder(lossless: true, effort: 0)),
        ("webp-lossless-1", WebPEncoder(lossless: true, effort: 1)), ("png-1", PNGEncoder(compressionLevel: 1)),
    ]

    func run() -> [Figure] {
        let folder = "/dev/shm/firn-bench-encoders-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pictures = photographs.prefix(EncoderBenchmark.most).compactMap { Self.decode($0) }
        guard !pictures.isEmpty else { return [] }
        return Self.peers.flatMap { figures($0, pictures, folder) } + stored(pictures)
    }

    // MARK: Peers

    private func figures(_ peer: Peer, _ pictures: [Bitmap], _ folder: String) -> [Figure] {
        var (ownBytes, theirBytes, ownTime, theirTime) = (0, 0, 0.0, 0.0)
        var likeness: [(own: Double, theirs: Double)] = []
        for (index, picture) in pictures.enumerated() {
            let (pixmap, target) = ("\(folder)/\(index).ppm", "\(folder)/\(index).out")
            guard (try? Self.pixmap(picture).write(to: URL(filePath: pixmap))) != nil else { return [] }
            var own: [Double] = []
            var theirs: [Double] = []
            var file = Data()
            for _ in 0..<rounds {
                let start = Stopwatch.cpuNow
                guard let data = try? peer.encoder.encode(picture) else { return [] }
                own.append(Stopwatch.cpuNow - start)
                file = data
                guard let usage = ChildProcess.run(peer.command(pixmap, target)) else {
                    print("encoders: \(peer.command(pixmap, target)[0]) is not installed here")
                    return []
                }
                theirs.append(usage.cpu * 1e6)
            }
            guard let other = try? Data(contentsOf: URL(filePath: target)), let mine = Self.decode(file),
                let their = Self.decode(other)
            else { return [] }
            ownBytes += file.count
            theirBytes += other.count
            ownTime += own.sorted()[rounds / 2]
            theirTime += theirs.sorted()[rounds / 2]
            likeness.append(
                (StructuralSimilarity.of(mine, picture), StructuralSimilarity.of(their, picture)))
        }
        let own = likeness.reduce(0) { $0 + $1.own } / Double(likeness.count)
        let theirs = likeness.reduce(0) { $0 + $1.theirs } / Double(likeness.count)
        let command = peer.name.hasPrefix("jpeg") ? "cjpeg" : "cwebp"
        return [
            Figure(
                name: "encoders.\(peer.name).bytes", value: Double(ownBytes) / 1000, unit: "kB",
                peer: command, peerValue: Double(theirBytes) / 1000),
            // What is lost, so that less is better as everywhere; a file that loses nothing has no ratio.
            Figure(
                name: "encoders.\(peer.name).ssim-loss", value: (1 - own) * 1000, unit: "‰", peer: command,
                peerValue: (1 - theirs) * 1000),
            Figure(
                name: "encoders.\(peer.name).time", value: ownTime / 1000, unit: "ms",
                peer: command, peerValue: theirTime / 1000, note: "theirs with reading a pixmap"),
        ]
    }

    // MARK: What a data cache may store

    private func stored(_ pictures: [Bitmap]) -> [Figure] {
        let pixels = Double(pictures.reduce(0) { $0 + $1.size.area })
        return Self.stores.flatMap { name, encoder -> [Figure] in
            var (bytes, encoding, decoding, likeness) = (0, 0.0, 0.0, 0.0)
            for picture in pictures {
                let start = Stopwatch.cpuNow
                guard let file = try? encoder.encode(picture) else { return [] }
                encoding += Stopwatch.cpuNow - start
                decoding += Stopwatch.median(of: rounds) {
                    let start = Stopwatch.cpuNow
                    _ = Self.decode(file, format: .bgra8Premultiplied)
                    return Stopwatch.cpuNow - start
                }
                bytes += file.count
                likeness += Self.decode(file).map { StructuralSimilarity.of($0, picture) } ?? 0
            }
            let ssim = NumberText.rounded(likeness / Double(pictures.count))
            return [
                Figure(
                    name: "encoders.processed.\(name).bytes", value: Double(bytes) / pixels, unit: "B/px",
                    peer: "as pixels", peerValue: 4, note: "SSIM \(ssim)"),
                Figure(
                    name: "encoders.processed.\(name).time", value: (encoding + decoding) / pixels * 1000,
                    unit: "ns/px",
                    note: "writing \(NumberText.short(encoding / pixels * 1000)), "
                        + "reading \(NumberText.short(decoding / pixels * 1000))"),
            ]
        }
    }

    // MARK: Pictures

    private static func decode(_ path: String) -> Bitmap? {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let picture = decode(data, target: TargetSize(PixelSize(width: side, height: side)))
        else { return nil }
        let size = TargetSize(PixelSize(width: side, height: side)).resolved(for: picture.size)
        return size == picture.size ? picture : try? picture.resized(to: size)
    }

    private static func decode(_ data: Data, format: PixelFormat = .rgb8, target: TargetSize? = nil) -> Bitmap? {
        let decoder = ImageDecoders.standard.first { $0.recognises(data.prefix(ImageFormat.sniffLength)) != nil }
        guard let session = decoder?.makeSession(limits: DecodingLimits(), cancellation: CancellationFlag()) else {
            return nil
        }
        var options = DecodingOptions()
        options.pixelFormat = format
        options.targetSize = target
        do {
            try session.append(data)
            session.finish()
            return try session.decode(options)
        } catch {
            print("encoders: \(error)")
            return nil
        }
    }

    /// A binary PPM.
    private static func pixmap(_ picture: Bitmap) -> Data {
        var data = Data("P6\n\(picture.size.width) \(picture.size.height)\n255\n".utf8)
        picture.withUnsafeBytes { bytes in
            for y in 0..<picture.size.height {
                let start = y * picture.bytesPerRow
                data.append(contentsOf: bytes[start..<start + picture.size.width * 3])
            }
        }
        return data
    }
}
