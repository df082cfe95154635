import FirnSync
import FoundationEssentials
import FirnSystem

/// A temporary folder for one test, removed with this object.
final class Scratch: Sendable {
    let root: String
    private let counter = Locked(0)

    init() throws {
        var template = Array("/tmp/firn-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ScratchError(message: "cannot make a folder below /tmp") }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Returns a new number at each call.
    func number() -> Int {
        counter.withLock { value in
            value += 1
            return value
        }
    }

    /// Returns an absolute path; `name` may already be one.
    func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(root)/\(name)" }

    /// Writes a file and creates the folders above it.
    @discardableResult
    func write(_ name: String, _ data: Data) throws -> String {
        let path = path(name)
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try data.write(to: URL(filePath: path))
        return path
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }

    /// Returns the names of all files below a folder, sorted, including hidden ones.
    func files(below name: String = "") -> [String] {
        let start = name.isEmpty ? root : path(name)
        return (try? FileManager.default.subpathsOfDirectory(atPath: start).sorted()) ?? []
    }
}

extension Scratch {
    /// Returns whether the cache in this folder has a part of a body that is still arriving.
    func hasPartialBody(below cache: String) -> Bool {
        files(below: cache).contains { $0.hasPrefix("partial/") && $0.hasSuffix(".firn") }
    }
}

/// An error in the setup of a test.
struct ScratchError: Error {
    let message: String
}
