import Firn
import FirnSystem
import FoundationEssentials

/// The images that the servers serve: photographs in three formats, a pyramid of a gigapixel, a bomb.
struct ServerFiles {
    /// The folder, in memory; images are below `images`.
    let folder: String
    var images: String { "\(folder)/images" }
    /// The names of the photographs by format.
    private(set) var names: [ImageFormat: [String]] = [:]
    /// A tiled pyramid of a gigapixel.
    static let pyramid = "pyramid.tif"
    static let side = 32_768
    /// A PNG of 400 megapixels in about a megabyte.
    static let bomb = "bomb.png"

    init?(photographs: [String]) {
        folder = "/dev/shm/firn-bench-server-\(getpid())"
        let files = FileManager.default
        try? files.createDirectory(atPath: images, withIntermediateDirectories: true)
        // nginx's processes run as another user.
        chmod(folder, 0o755)
        for (index, photograph) in photographs.enumerated() {
            let name = "\(index).jpg"
            guard (try? files.copyItem(atPath: photograph, toPath: "\(images)/\(name)")) != nil else { continue }
            names[.jpeg, default: []].append(name)
        }
        for (format, count) in [(ImageFormat.png, 6), (.webp, 6)] {
            for (index, photograph) in photographs.prefix(count).enumerated() {
                let name = "\(index).\(format.rawValue)"
                guard make(["vips", "thumbnail", photograph, "\(images)/\(name)", "3000"]) else { return nil }
                names[format, default: []].append(name)
            }
        }
        let (part, count) = ("\(folder)/part.v", "16")
        let tile = "tile,pyramid,compression=jpeg,Q=85,tile-width=256,tile-height=256,bigtiff,strip"
        guard let first = photographs.first,
            make(["vips", "thumbnail", first, part, "2048", "--height", "2048", "--crop", "low", "--size", "force"]),
            make(["vips", "replicate", part, "\(images)/\(ServerFiles.pyramid)[\(tile)]", count, count]),
            make(["vips", "black", "\(images)/\(ServerFiles.bomb)", "20000", "20000"])
        else { return nil }
    }

    private func make(_ command: [String]) -> Bool {
        if ChildProcess.run(command) != nil { return true }
        print("server: \(command[0]) is not installed here, or failed")
        remove()
        return false
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// The addresses of thumbnails, one for each image and side, in the languages of our server and of thumbor.
    func paths(_ format: ImageFormat, sides: [Int]) -> (firn: [String], thumbor: [String]) {
        let pairs = sides.flatMap { side in (names[format] ?? []).map { (side, $0) } }
        return (
            pairs.map { "/_/rs:fit:\($0.0):\($0.0)/plain/local:///\($0.1)" },
            pairs.map { "/unsafe/fit-in/\($0.0)x\($0.0)/\($0.1)" }
        )
    }
}
