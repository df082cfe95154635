import FirnSystem
import FoundationEssentials

/// Large files for the benchmark of regions, made of copies of a photograph with `vips` and `jpegtran`.
struct RegionFiles {
    /// The folder, in memory.
    let folder: String
    /// The sides of the JPEG files and of the TIFF file, in pixels.
    static let side = 10_240
    static let largeSide = 32_768

    /// Baseline JPEGs of 105 megapixels: without restart markers, with one for every 16 MCUs, with one for every row.
    var jpeg: String { "\(folder)/plain.jpg" }
    var restarts: String { "\(folder)/restarts.jpg" }
    var restartRows: String { "\(folder)/rows.jpg" }
    /// A tiled pyramid of a gigapixel.
    var tiff: String { "\(folder)/pyramid.tif" }

    /// A HEIC of 51 megapixels, in cells of 512 × 512 pixels.
    var grid: String { "\(folder)/grid.heic" }
    static let gridSide = 14

    /// Makes the HEIC; returns false if a program is missing.
    func makeGrid() -> Bool {
        let (cell, single) = ("\(folder)/cell.png", "\(folder)/cell.heic")
        let commands = [
            ["vips", "crop", "\(folder)/part.v", cell, "700", "700", "512", "512"],
            ["heif-enc", "-q", "60", "-o", single, cell],
        ]
        for command in commands where ChildProcess.run(command) == nil {
            print("regions: \(command[0]) is not installed here, or failed")
            return false
        }
        let file = GridFile(columns: RegionFiles.gridSide, rows: RegionFiles.gridSide, cell: 512)
        guard let bytes = try? Data(contentsOf: URL(filePath: single)), let data = file.data(of: bytes) else {
            return false
        }
        return FileManager.default.createFile(atPath: grid, contents: data)
    }

    /// Makes the files; `nil` if a program is missing.
    init?(photograph: String) {
        folder = "/dev/shm/firn-bench-regions-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let small = "\(folder)/part.v"
        // Sides that divide the large ones, so that the copies fill them.
        let part = RegionFiles.largeSide / 16
        let commands = [
            [
                "vips", "thumbnail", photograph, small, "\(part)", "--height", "\(part)", "--crop", "low", "--size",
                "force",
            ],
            [
                "vips", "replicate", small, "\(jpeg)[Q=85,strip]", "\(RegionFiles.side / part)",
                "\(RegionFiles.side / part)",
            ],
            ["jpegtran", "-restart", "16B", "-outfile", restarts, jpeg],
            ["jpegtran", "-restart", "1", "-outfile", restartRows, jpeg],
            [
                "vips", "replicate", small,
                "\(tiff)[tile,pyramid,compression=jpeg,Q=85,tile-width=256,tile-height=256,bigtiff,strip]",
                "\(RegionFiles.largeSide / part)", "\(RegionFiles.largeSide / part)",
            ],
        ]
        for command in commands where ChildProcess.run(command) == nil {
            print("regions: \(command[0]) is not installed here, or failed")
            remove()
            return nil
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
