import CBareCodecs
import Dispatch
import FoundationEssentials

/// Measures a jump over 500 cells of the gallery, and the time until the visible cells show their images.
struct GalleryJump: Decodable {
    static let cells = 500

    let stopToAllRightMs: Double
    let firstCell: Int
    /// The number of visible cells.
    let cells: Int
    /// The width and height of a cell.
    let cell: Int
    let wrongImages: Int

    /// - Returns: `nil` if the gallery or Xvfb is missing, or if the run failed.
    static func run(_ images: [String]) -> GalleryJump? {
        GalleryRun.output(["--headless-jump", "\(cells)"] + images).flatMap {
            try? JSONDecoder().decode(GalleryJump.self, from: $0)
        }
    }

    /// Returns the milliseconds that the bare library needs for the images of the same cells, on two threads, with its
    /// scaled decode only.
    func bareMilliseconds(_ images: [String]) -> Double {
        guard !images.isEmpty else { return .infinity }
        // The longer side of a 16:9 image that covers a cell.
        let side = UInt32(Double(cell) * 16 / 9)
        let paths = (firstCell..<firstCell + cells).map { images[$0 % images.count] }
        let start = Stopwatch.wallNow
        let threads = 2
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for place in stride(from: thread, to: paths.count, by: threads) {
                _ = bare_thumbnail("jpeg", paths[place], side)
            }
        }
        return (Stopwatch.wallNow - start) * 1_000
    }
}
