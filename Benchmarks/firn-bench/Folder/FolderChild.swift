import CBareCodecs
import Firn
import FoundationEssentials
import FirnSystem

/// The programs of the folder benchmarks that are ours, each run in its own process.
enum FolderChild {
    /// Reads paths from standard input, makes thumbnails of `side` pixels, and prints the process' peak memory in MiB;
    /// for `turns`, the milliseconds of an image.
    static func run(_ name: String, side: Int) async throws {
        var paths: [String] = []
        while let line = readLine() { paths.append(line) }
        switch name {
        case "firn": try await thumbnails(paths, side)
        case "turns":
            let milliseconds = try await turns(paths, side)
            return print(milliseconds)
        // The bare library of the given format.
        default: for path in paths { _ = bare_thumbnail(name, path, UInt32(clamping: side)) }
        }
        print(peakMiB())
    }

    private static func thumbnails(_ paths: [String], _ side: Int) async throws {
        let pipeline = ImagePipeline(configuration: .ephemeral)
        let target = TargetSize(side)
        let tasks = paths.map { pipeline.imageTask(with: ImageRequest(path: $0, targetSize: target)) }
        for task in tasks { _ = try await task.response }
    }

    /// Makes one thumbnail after the other; returns the milliseconds of an image.
    private static func turns(_ paths: [String], _ side: Int) async throws -> Double {
        let pipeline = ImagePipeline(configuration: .ephemeral)
        let target = TargetSize(side)
        // The first image starts threads.
        _ = try await pipeline.image(for: ImageRequest(path: paths[0], targetSize: target))
        let start = Stopwatch.wallNow
        for path in paths.dropFirst() {
            _ = try await pipeline.image(for: ImageRequest(path: path, targetSize: target))
        }
        return (Stopwatch.wallNow - start) / Double(max(1, paths.count - 1)) * 1e3
    }

    /// Returns the peak resident memory of this process, in MiB.
    static func peakMiB() -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? 0) / 1024
    }
}
