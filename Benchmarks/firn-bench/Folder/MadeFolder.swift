import Firn
import FoundationEssentials
import FirnSystem

/// Images that other programs make of the photographs, in a folder in memory.
struct MadeFolder {
    let images: [String]
    private let path: String

    /// - Parameter make: writes images to a folder and returns their paths; `nil` if a program is missing or fails.
    /// - Returns: `nil`, after printing a message, if `make` returns `nil`.
    private init?(_ name: String, make: (_ path: String) -> [String]?) {
        path = "/dev/shm/firn-bench-\(name)-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard let images = make(path), !images.isEmpty else {
            print("folder.\(name): vips or jpegtran is not installed here, or cannot write these images")
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
        self.images = images
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the photographs in another format, at the size of a screen.
    static func converted(_ photographs: [String], to format: ImageFormat) -> MadeFolder? {
        MadeFolder("\(format)") { path in
            photographs.enumerated().map { index, photograph -> String? in
                let target = "\(path)/\(index).\(format)"
                return isDone(["vips", "thumbnail", photograph, target, "3000"]) ? target : nil
            }.whole
        }
    }

    /// Returns baseline JPEGs of 24 megapixels, each four photographs side by side, so that their detail is that of
    /// photographs. One in `progressive` is progressive; 0 for none.
    ///
    /// - Parameter restarts: whether each row of MCUs ends with a restart marker.
    static func large(
        _ photographs: [String], name: String, count: Int, progressive: Int = 0, restarts: Bool = false
    ) -> MadeFolder? {
        MadeFolder(name) { path in
            let parts = photographs.enumerated().map { index, photograph -> String? in
                let part = "\(path)/\(index).v"
                let crop = ["3000", "--height", "2000", "--crop", "low", "--size", "both"]
                return isDone(["vips", "thumbnail", photograph, part] + crop) ? part : nil
            }.whole
            guard let parts, !parts.isEmpty else { return nil }
            defer { for part in parts { unlink(part) } }
            return (0..<count).map { index -> String? in
                let target = "\(path)/\(index).jpg"
                let four = (0..<4).map { parts[(index + $0) % parts.count] }.joined(separator: " ")
                let joined = ["vips", "arrayjoin", four, "\(target)[Q=92,subsample_mode=on]", "--across", "2"]
                guard isDone(joined) else { return nil }
                if progressive > 0, index % progressive == 0 {
                    return isDone(["jpegtran", "-progressive", "-outfile", target, target]) ? target : nil
                }
                let marked = ["jpegtran", "-restart", "1", "-outfile", target, target]
                return !restarts || isDone(marked) ? target : nil
            }.whole
        }
    }

    /// Returns many JPEGs of about 20 KB, as lists of products have them; a hundred different ones.
    static func small(_ photographs: [String], count: Int) -> MadeFolder? {
        MadeFolder("small") { path in
            var images: [String] = []
            for index in 0..<min(100, count) {
                let photograph = photographs[index % photographs.count]
                let target = "\(path)/\(index).jpg"
                // Sizes differ a little, so that no two files are the same.
                let side = "\(360 + index / photographs.count)"
                guard isDone(["vips", "thumbnail", photograph, "\(target)[Q=85,strip]", side]) else { return nil }
                images.append(target)
            }
            for index in images.count..<max(images.count, count) {
                let target = "\(path)/\(index).jpg"
                guard (try? FileManager.default.copyItem(atPath: images[index % images.count], toPath: target)) != nil
                else { return nil }
                images.append(target)
            }
            return images
        }
    }

    private static func isDone(_ command: [String]) -> Bool { ChildProcess.run(command) != nil }
}

extension [String?] {
    /// All elements; `nil` if one is missing.
    fileprivate var whole: [String]? {
        let known = compactMap { $0 }
        return known.count == count ? known : nil
    }
}
