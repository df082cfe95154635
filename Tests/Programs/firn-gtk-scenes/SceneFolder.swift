#if GTK
import FoundationEssentials
import FirnSystem

/// A temporary folder of one scene, removed with this object.
@MainActor
final class SceneFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/firn-gtk-scene-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    isolated deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ data: Data) throws { try data.write(to: URL(filePath: "\(path)/\(name)")) }
}
#endif
