import CBareCodecs
import Firn
import FoundationEssentials
import FirnSystem

/// The two programs of the folder benchmark that are ours, each run in its own process.
enum FolderChild {
    /// Reads paths from standard input, makes the thumbnails, and prints the process' peak memory in MiB.
    static func run(_ name: String) async throws {
        var paths: [String] = []
        while let line = readLine() { paths.append(line) }
        if name == "firn" {
            try await thumbnails(paths)
        } else {
            // The bare library of the given format.
            for path in paths { _ = bare_thumbnail(name, path, UInt32(FolderBenchmark.side)) }
        }
        print(peakMiB())
    }

    private static func thumbnails(_ paths: [String]) async throws {
        let configuration = ImagePipeline.Configuration.standard()
        let pipeline = ImagePipeline(configuration: configuration)
        let target = TargetSize(PixelSize(width: FolderBenchmark.side, height: FolderBenchmark.side))
        let tasks = paths.map { pipeline.imageTask(with: ImageRequest(path: $0, targetSize: target)) }
        for task in tasks { _ = try await task.response }
    }

    /// Returns the peak resident memory of this process, in MiB.
    static func peakMiB() -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? 0) / 1024
    }
}
