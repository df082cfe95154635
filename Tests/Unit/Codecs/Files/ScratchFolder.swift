import FirnSystem
import Foundation

/// A folder for the files of one test, removed with it.
final class ScratchFolder: Sendable {
    private let path = FileManager.default.temporaryDirectory.path + "/firn-files-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a name in the folder.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and returns its path.
    func write(_ data: Data, _ name: String) throws -> String {
        try data.write(to: URL(filePath: self(name)))
        return self(name)
    }

    /// The names in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
