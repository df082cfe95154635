import FoundationEssentials
import FirnSystem

/// Waits for a condition that other threads cause.
enum Settling {
    /// - Returns: whether the condition held within two minutes.
    static func wait(_ condition: () -> Bool) -> Bool {
        for _ in 0..<120_000 {
            if condition() { return true }
            usleep(1000)
        }
        return condition()
    }
}

/// Directories of a run.
enum Directory {
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the number of entries in a directory.
    static func count(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
