import CBareCodecs
import Firn
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Compares a whole decode of one photograph in each format with the same decode by the bare library.
struct FormatBenchmark {
    let photograph: String
    let rounds: Int
    /// The longer side of the photograph in the decoded files, in pixels.
    private static let side = 2048
    /// Names of formats, and names of files for `vips`: without a color profile, because the bare libraries do not
    /// convert colors.
    private static let samples = [
        ("jpeg", "sample.jpg[Q=85,strip]"), ("png", "sample.png[strip]"), ("webp", "sample.webp[strip]"),
        ("gif", "sample.gif"), ("avif", "sample.avif[strip]"), ("heic", "sample.heic[strip]"),
        ("jxl", "sample.jxl[strip]"), ("tiff", "sample.tif[compression=lzw,strip]"),
    ]

    func run() -> [Figure] {
        let folder = "/dev/shm/firn-bench-formats-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return FormatBenchmark.samples.compactMap { format, name in
            guard let data = sample(name, in: folder) else {
                print("formats: vips is not installed here, or cannot write \(format)")
                return nil
            }
            return figure(format, data)
        }
    }

    private func sample(_ name: String, in folder: String) -> Data? {
        let command = ["vips", "thumbnail", photograph, "\(folder)/\(name)", "\(FormatBenchmark.side)"]
        guard ChildProcess.run(command) != nil else { return nil }
        let path = name.prefix { $0 != "[" }
        return try? Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
    }

    /// Returns medians; both run in every round, so that a slow moment affects both.
    private func figure(_ format: String, _ data: Data) -> Figure? {
        var own: [Double] = []
        var bare: [Double] = []
        for round in 0..<rounds * 2 + 1 {
            guard let mine = time({ decode(data) }),
                let theirs = time({
                    data.withUnsafeBytes {
                        bare_decode(format, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) > 0
                    }
                })
            else {
                print("formats: \(format) cannot be decoded here")
                return nil
            }
            // The first round is a warm-up.
            if round > 0 {
                own.append(mine)
                bare.append(theirs)
            }
        }
        let mine = own.median
        let theirs = bare.median
        return Figure(
            name: "format.\(format)", value: mine, unit: "ms", peer: "bare library", peerValue: theirs)
    }

    private func time(_ body: () -> Bool) -> Double? {
        let start = Stopwatch.cpuNow
        guard body() else { return nil }
        return (Stopwatch.cpuNow - start) / 1000
    }

    private func decode(_ data: Data) -> Bool {
        let decoders = ImageDecoders.standard
        let head = data.prefix(ImageFormat.sniffLength)
        guard let decoder = decoders.first(where: { $0.recognizes(head) != nil }) else { return false }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        do {
            try session.append(data)
            session.finish()
            return try session.decode(DecodingOptions()).size.width > 0
        } catch {
            print("formats: \(error)")
            return false
        }
    }
}
