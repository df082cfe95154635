import Firn
import FoundationEssentials
import FirnSystem

/// The photographs converted to another format by `vips`, at the size of a screen, in a folder in memory.
struct ConvertedFolder {
    let images: [String]
    private let path: String

    /// - Returns: `nil`, after printing a message, if `vips` is not installed.
    init?(_ photographs: [String], to format: ImageFormat) {
        path = "/dev/shm/firn-bench-\(format)-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var images: [String] = []
        for (index, photograph) in photographs.enumerated() {
            let target = "\(path)/\(index).\(format)"
            guard ChildProcess.run(["vips", "thumbnail", photograph, target, "3000"]) != nil else {
                print("folder.\(format): vips is not installed here, or cannot write \(format)")
                try? FileManager.default.removeItem(atPath: path)
                return nil
            }
            images.append(target)
        }
        self.images = images
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
