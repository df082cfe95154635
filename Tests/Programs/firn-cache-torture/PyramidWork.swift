import FirnCache
import FirnData
import FirnImage
import FirnProcessing
import FirnSystem

/// Builds pyramids of known pixels in a bitmap store, and checks what a store has of them.
struct PyramidWork {
    let directory: String
    private static let size = PixelSize(width: 700, height: 600)

    private var store: BitmapStore {
        BitmapStore(directory: directory, limits: BitmapStoreLimits(freeSpaceShare: nil))
    }

    private static func pixel(_ x: Int, _ y: Int, _ seed: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (x &* 31 &+ y &* 1_009 &+ seed) &* 2_654_435_761) | 0xFF00_0000
    }

    private static func source(_ seed: Int) -> PyramidSource {
        PyramidSource(
            size: size, orientation: .up, format: nil, version: SourceVersion(size: seed, modified: 0, inode: 1),
            validator: "")
    }

    /// Builds the pyramids of `seed`, `seed + 1` and so on, under one key, without end.
    func run(seed: Int) throws {
        let store = store
        guard let shape = PyramidShape(PyramidWork.size) else { return }
        for number in seed... {
            let writer = try store.makePyramid(of: PyramidWork.source(number), for: "pyramid")
            let reducer = PyramidReducer(shape, hasAlpha: false)
            var row = [UInt32](repeating: 0, count: PyramidWork.size.width)
            for y in 0..<PyramidWork.size.height {
                for x in row.indices { row[x] = PyramidWork.pixel(x, y, number) }
                try row.withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    try reducer.add(base, bytesPerRow: bytes.count, count: 1) {
                        try writer.write($0, level: $1, row: $2)
                    }
                }
            }
            _ = try writer.finish(isOpaque: true)
        }
    }

    /// Returns the fault of the stored pyramid; `nil` if there is no pyramid, or it is complete and correct.
    var fault: String? {
        let store = store
        if let problem = try? store.verify().first(where: { $0.reason.contains("left by") == false }) {
            return problem.reason
        }
        guard let pyramid = store.pyramid(for: "pyramid") else { return nil }
        guard let seed = pyramid.source.version?.size else { return "a pyramid without its version" }
        guard let image = pyramid.part(of: 0, columns: 0..<PyramidWork.size.width, rows: 0..<PyramidWork.size.height)
        else { return "a pyramid without its pixels" }
        return image.withUnsafeBytes { bytes in
            for y in stride(from: 0, to: PyramidWork.size.height, by: 7) {
                for x in stride(from: y % 5, to: PyramidWork.size.width, by: 5) {
                    let found = bytes.loadUnaligned(fromByteOffset: y * image.bytesPerRow + 4 * x, as: UInt32.self)
                    if found != PyramidWork.pixel(x, y, seed) { return "a wrong pixel in column \(x), row \(y)" }
                }
            }
            return nil
        }
    }

    /// The bytes of all files of the store.
    var bytes: Int {
        let files = LocalFileSystem()
        let root = "\(directory)/bitmaps-v1"
        var sum = 0
        for shard in (try? files.list(root)) ?? [] {
            for name in (try? files.list("\(root)/\(shard)")) ?? [] {
                sum += (try? files.status("\(root)/\(shard)/\(name)").size) ?? 0
            }
        }
        return sum
    }
}
