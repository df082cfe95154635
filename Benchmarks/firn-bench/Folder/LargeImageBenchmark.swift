import Firn
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Measures the memory that a thumbnail of an image of 100 megapixels needs, in a process of its own.
///
/// The image is a baseline JPEG of a single gray: the memory depends only on the image's size.
struct LargeImageBenchmark {
    let rounds: Int
    private static let side = 10_000

    func run() -> [Figure] {
        let path = "/dev/shm/firn-bench-large-\(getpid()).jpg"
        defer { unlink(path) }
        do {
            try LargeImageBenchmark.file().write(to: URL(filePath: path))
        } catch {
            print("large: \(error)")
            return []
        }
        let own = CommandLine.arguments[0]
        let side = "\(FolderBenchmark.side)"
        guard let mine = peak([own, "--child", "firn", side], path),
            let bare = peak([own, "--child", "jpeg", side], path)
        else {
            print("large: the children did not run")
            return []
        }
        return [
            Figure(name: "large.jpeg.peakMemory", value: mine, unit: "MiB", peer: "bare library", peerValue: bare)
        ]
    }

    /// Returns the median of the peaks that the children print, in MiB.
    private func peak(_ command: [String], _ path: String) -> Double? {
        let peaks = (0..<rounds).compactMap { _ in
            ChildProcess.run(command, input: path).flatMap {
                Double($0.output.split(whereSeparator: \.isWhitespace).last ?? "")
            }
        }
        return peaks.isEmpty ? nil : peaks.median
    }

    /// Returns a JPEG in which two bits code each block: no DC difference and no coefficients.
    private static func file() -> Data {
        func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] { [0xFF, code] + big(content.count + 2) + content }
        // A Huffman table with one code of one bit, for the value 0.
        let codes: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        let blocks = (side / 8) * (side / 8)
        var bytes: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes += segment(0xC0, [8] + big(side) + big(side) + [1, 1, 0x11, 0])
        bytes += segment(0xC4, [0x00] + codes) + segment(0xC4, [0x10] + codes)
        bytes += segment(0xDA, [1, 1, 0, 0, 63, 0]) + [UInt8](repeating: 0, count: blocks * 2 / 8)
        return Data(bytes + [0xFF, 0xD9])
    }
}
