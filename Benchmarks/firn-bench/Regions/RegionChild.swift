import Firn
import FoundationEssentials
import FirnSync

/// Decodes two regions of a file in a process of its own.
enum RegionChild {
    /// The square regions of 512 pixels, by the left and top edge of the first; the second lies below and to the right.
    static let side = 512

    /// Reads a path and the edge from standard input; prints the CPU times of the two regions in milliseconds, and the
    /// peak memory in MiB. Without an edge the second one is the whole image, and what is done once is done
    /// before.
    ///
    /// Decodes in this process, so that its memory and time are all that there is.
    static func run() throws {
        DecoderIsolation.standard = .none
        let path = readLine() ?? ""
        let given = readLine().flatMap { Int($0) }
        let edge = given ?? 512 * 6
        var limits = ImageLimits()
        limits.maximumPixels = 1 << 31
        let decoder = ImageDecoder(limits: limits)
        try decoder.append(contentsOf: LocalFileSystem().open(path))
        decoder.finish()
        if given == nil { _ = try decoder.frame(at: 0, options: region(0)).image() }
        let times = try [edge, given.map { $0 + side + 256 }].map { edge in
            let start = Stopwatch.cpuNow
            _ = try decoder.frame(at: 0, options: region(edge)).image()
            return (Stopwatch.cpuNow - start) / 1000
        }
        print(times[0], times[1], FolderChild.peakMiB())
    }

    private static func region(_ edge: Int?) -> DecodingOptions {
        var options = DecodingOptions()
        options.region = edge.map { .pixels(x: $0, y: $0, width: side, height: side) }
        return options
    }
}
