import Firn
import FoundationEssentials

/// Builds a pyramid, or reads random tiles of it, in a process of its own.
enum PyramidChild {
    /// The tiles that are read.
    static let tiles = 1000

    /// Reads `build` or `tiles`, a path, the folder of the store, and the image's side from standard input.
    ///
    /// Prints the peak memory in MiB, and with `tiles` the 99th percentile of the times of ``tiles`` loads of regions
    /// of 256 × 256 pixels, in milliseconds.
    static func run() async throws {
        let task = readLine() ?? ""
        let path = readLine() ?? ""
        let store = readLine() ?? ""
        let side = readLine().flatMap { Int($0) } ?? 256
        DecoderIsolation.standard = .none
        var configuration = ImagePipeline.Configuration.ephemeral
        configuration.imageCache = nil
        configuration.limits.maximumPixels = 1 << 31
        let limits = BitmapStoreLimits(bytes: 4 << 30, freeSpaceShare: nil)
        configuration.bitmapStore = BitmapStore(directory: store, limits: limits)
        let pipeline = ImagePipeline(configuration: configuration)
        if task == "build" {
            try await pipeline.buildPyramid(for: ImageRequest(path: path))
            print(FolderChild.peakMiB())
            return
        }
        var numbers = SystemRandomNumberGenerator()
        var times: [Double] = []
        for _ in 0..<tiles {
            var request = ImageRequest(path: path)
            let x = Int.random(in: 0...side - 256, using: &numbers)
            let y = Int.random(in: 0...side - 256, using: &numbers)
            request.region = .pixels(x: x, y: y, width: 256, height: 256)
            let start = Stopwatch.wallNow
            _ = try await pipeline.image(for: request)
            times.append((Stopwatch.wallNow - start) * 1000)
        }
        print(FolderChild.peakMiB(), times.sorted()[tiles * 99 / 100])
    }
}
