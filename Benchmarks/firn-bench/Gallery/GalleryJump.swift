import CBareCodecs
import Dispatch
import FoundationEssentials

/// A jump over 500 cells of the gallery, and how long those seen then took to show their images.
struct GalleryJump: Decodable {
    static let cells = 500

    let stopToAllRightMs: Double
    let firstCell: Int
    /// How many cells are seen.
    let cells: Int
    /// Their width and height.
    let cell: Int
    let wrongImages: Int

    /// - Returns: `nil` without the gallery, without Xvfb, or if it failed.
    static func run(_ images: [String]) -> GalleryJump? {
        GalleryRun.output(["--headless-jump", "\(cells)"] + images).flatMap {
            try? JSONDecoder().decode(GalleryJump.self, from: $0)
        }
    }

    /// Milliseconds that the bare library takes for the images of the same cells, on two threads: only its scaled decode.
    func bareMilliseconds(_ images: [String]) -> Double {
        guard !images.isEmpty else { return .infinity }
        // The longer side of an image of 16:9 that covers a cell.
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
