#if GTK
import FoundationEssentials
import FirnSystem

/// A temporary folder of one test, removed with this object.
final class TestFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/firn-gtk-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SceneError(message: "no folder: \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, _ bytes: some Collection<UInt8>) throws {
        guard let file = fopen("\(path)/\(name)", "w") else { throw SceneError(message: "cannot write \(name)") }
        let bytes = Array(bytes)
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw SceneError(message: "cannot write \(name)") }
    }

    /// True if the folder is empty.
    var isEmpty: Bool { names.isEmpty }

    private var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
#endif
