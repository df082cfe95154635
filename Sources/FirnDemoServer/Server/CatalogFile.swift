import FirnSystem

/// The metadata of a served file.
struct CatalogFile: Equatable {
    let path: String
    let size: Int
    /// Strong: changes whenever the file is replaced or written to, within the resolution of its modification time.
    let entityTag: String

    /// Returns `nil` if there is no such regular file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.path = path
        size = Int(status.st_size)
        let parts = [Int(status.st_ino), size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        entityTag = "\"" + parts.map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }

    /// The media type by the extension, for browsers. Firn detects formats by content.
    var mediaType: String {
        switch path.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "webp": "image/webp"
        case "gif": "image/gif"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
