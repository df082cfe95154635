import FoundationEssentials
import FirnSystem

/// Returns the length of the files of a folder that this process has open and that have no final name: files without a
/// name, and temporary files.
package func unnamedBytes(in folder: String) -> Int {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.reduce(0) { sum, name in
        let path = "/proc/self/fd/\(name)"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
            target.hasPrefix(folder + "/"), target.hasSuffix(" (deleted)") || target.hasSuffix(".tmp")
        else { return sum }
        var status = stat()
        return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
    }
}
