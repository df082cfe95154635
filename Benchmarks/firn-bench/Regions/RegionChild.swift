import Firn
import FoundationEssentials

/// Decodes two regions of a file in a process of its own.
enum RegionChild {
    /// The square regions of 512 pixels, by the left and top edge of the first; the second lies below and to the right.
    static let side = 512

    /// Reads a path and the edges from standard input; prints the CPU times of the two regions in milliseconds, and the
    /// peak memory in MiB.
    static func run() throws {
        let path = readLine() ?? ""
        let edge = readLine().flatMap { Int($0) } ?? 0
        var limits = ImageLimits()
        limits.maximumPixels = 1 << 31
        let decoder = ImageDecoder(limits: limits)
        try decoder.append(contentsOf: FileByteSource(LocalFileSystem().open(path)))
        decoder.finish()
        let times = try [edge, edge + side + 256].map { edge in
            let start = Stopwatch.cpuNow
            var options = DecodingOptions()
            options.region = .pixels(x: edge, y: edge, width: side, height: side)
            _ = try decoder.frame(at: 0, options: options).image()
            return (Stopwatch.cpuNow - start) / 1000
        }
        print(times[0], times[1], FolderChild.peakMiB())
    }
}
