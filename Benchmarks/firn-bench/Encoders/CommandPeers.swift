import Firn
import FirnFigures
import FirnReport
import FoundationEssentials
import FirnSystem

/// Compares JPEG and WebP with `cjpeg` and `cwebp` at the same settings: bytes, similarity to the original, CPU time.
struct CommandPeers {
    let rounds: Int

    private struct Peer: Sendable {
        let name: String
        let encoder: any ImageEncoding
        /// The command for the pixmap of this name; it writes to `target`.
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

    func figures(_ images: [Bitmap]) -> [Figure] {
        let folder = "/dev/shm/firn-bench-encoders-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return CommandPeers.peers.flatMap { peer in
            // Lossless encoding is slow, and one image is representative.
            figures(peer, peer.name == "webp.lossless" ? Array(images.prefix(1)) : images, folder)
        }
    }

    private func figures(_ peer: Peer, _ images: [Bitmap], _ folder: String) -> [Figure] {
        var (ownBytes, theirBytes, ownTime, theirTime) = (0, 0, 0.0, 0.0)
        var likeness: [(own: Double, theirs: Double)] = []
        for (index, image) in images.enumerated() {
            let (pixmap, target) = ("\(folder)/\(index).ppm", "\(folder)/\(index).out")
            guard (try? EncoderImages.pixmap(image).write(to: URL(filePath: pixmap))) != nil else { return [] }
            var own: [Double] = []
            var theirs: [Double] = []
            var file = Data()
            for _ in 0..<rounds {
                let start = Stopwatch.cpuNow
                guard let data = try? peer.encoder.encode(image) else { return [] }
                own.append(Stopwatch.cpuNow - start)
                file = data
                guard let usage = ChildProcess.run(peer.command(pixmap, target)) else {
                    print("encoders: \(peer.command(pixmap, target)[0]) is not installed here")
                    return []
                }
                theirs.append(usage.cpu * 1e6)
            }
            guard let other = try? Data(contentsOf: URL(filePath: target)), let mine = EncoderImages.decode(file),
                let their = EncoderImages.decode(other)
            else { return [] }
            ownBytes += file.count
            theirBytes += other.count
            ownTime += own.median
            theirTime += theirs.median
            likeness.append(
                (StructuralSimilarity.of(mine, image), StructuralSimilarity.of(their, image)))
        }
        let own = likeness.reduce(0) { $0 + $1.own } / Double(likeness.count)
        let theirs = likeness.reduce(0) { $0 + $1.theirs } / Double(likeness.count)
        let command = peer.name.hasPrefix("jpeg") ? "cjpeg" : "cwebp"
        return [
            Figure(
                name: "encoders.\(peer.name).bytes", value: Double(ownBytes) / 1000, unit: "kB",
                peer: command, peerValue: Double(theirBytes) / 1000),
            // Measures the loss, so that less is better as in the other figures; a lossless file has no ratio.
            Figure(
                name: "encoders.\(peer.name).ssim-loss", value: (1 - own) * 1000, unit: "‰", peer: command,
                peerValue: (1 - theirs) * 1000),
            Figure(
                name: "encoders.\(peer.name).time", value: ownTime / 1000, unit: "ms",
                peer: command, peerValue: theirTime / 1000, note: "theirs with reading a pixmap"),
        ]
    }
}
