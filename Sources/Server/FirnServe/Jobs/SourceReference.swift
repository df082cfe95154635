import FirnSystem

/// A source whose address was checked: a file below the local root, an HTTP URL of an allowed host, or an object in an
/// allowed bucket.
enum SourceReference: Sendable, Hashable {
    /// A regular file and its version.
    case file(path: String, version: FileVersion)
    case http(url: String, host: String, fields: SourceFields = SourceFields())
    /// An object in an allowed bucket.
    case s3(url: String, bucket: String)

    /// The key under which admission counts the source.
    var host: String {
        switch self {
        case .file(_, let version): "local:\(version.status.device)"
        case .http(_, let host, _): host
        case .s3(_, let bucket): "s3:\(bucket)"
        }
    }

    /// The scheme, host and port of the source, or its bucket: the sources that share transfers.
    var origin: String {
        key.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    /// The part of result keys that identifies the source.
    var key: String {
        switch self {
        case .file(let path, let version): "file:\(path)@\(version.text)"
        case .http(let url, _, let fields): url + fields.client
        case .s3(let url, _): url
        }
    }

    /// The key without fields of the client.
    var plainKey: String { if case .http(let url, _, _) = self { url } else { key } }

    /// The time of the last change of a file, in seconds since 1970; `nil` for other sources.
    var modified: Int? {
        if case .file(_, let version) = self { Int(version.status.modified / 1_000_000_000) } else { nil }
    }

    /// The fields to send to the source.
    var fields: SourceFields { if case .http(_, _, let fields) = self { fields } else { SourceFields() } }

    /// True for a file, each version of which has its own results.
    var isFile: Bool { if case .file = self { true } else { false } }

    private static let missing = ServeError(404, "there is no such local source")

    /// Returns the requested path below a root, with links unresolved. Does not access the file system.
    static func requestedPath(_ path: Substring, _ root: String?) throws(ServeError) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let root, !path.utf8.contains(0), !parts.isEmpty, !parts.contains("..") else { throw missing }
        return root + "/" + parts.joined(separator: "/")
    }

    /// Finds a file by its path below a root. Follows links that stay below the root.
    static func file(_ path: Substring, _ root: String?) throws(ServeError) -> SourceReference {
        let requested = try requestedPath(path, root)
        guard let base = root.flatMap({ resolved($0) }), let file = resolved(requested),
            file.hasPrefix(base == "/" ? base : base + "/"), let source = regularFile(file, requested: requested)
        else { throw missing }
        return source
    }

    static func file(named path: String) throws(ServeError) -> SourceReference {
        guard let source = regularFile(path, requested: path) else { throw ServeError(404, "there is no such file") }
        return source
    }

    private static func regularFile(_ path: String, requested: String) -> SourceReference? {
        guard let status = try? LocalFileSystem().status(path), status.isRegular else { return nil }
        return .file(path: path, version: FileVersion(path: requested, status: status))
    }

    /// The path without links; `nil` if it does not exist.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// Returns an address without user, query and fragment, in printable ASCII, with at most 120 characters.
    static func shown(_ address: String) -> String {
        var rest = Array(address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })[...]
        var scheme: [UInt8] = []
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), rest[colon...].starts(with: "://".utf8) {
            scheme = Array(rest[..<(colon + 3)])
            rest = rest[(colon + 3)...]
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            if let user = rest[..<end].lastIndex(of: UInt8(ascii: "@")) { rest = rest[(user + 1)...] }
        }
        var bytes = scheme + rest
        if bytes.count > 120 { bytes = Array(bytes.prefix(80)) + Array("...".utf8) + Array(bytes.suffix(37)) }
        return ServeError.printable(bytes, limit: 120)
    }
}

struct FileVersion: Sendable, Hashable {
    /// The requested path with its links unresolved, so that a changed link is noticed.
    let path: String
    let status: FileStatus

    /// Equal on servers that share a file system. Changes with every edit, even one that keeps the length and the
    /// modification time, and with permissions.
    var text: String {
        let numbers = [Int64(status.size), status.modified, status.changed, Int64(truncatingIfNeeded: status.inode)]
        return numbers.map { String($0, radix: 36) }.joined(separator: "-")
    }

    /// True if the path still leads to this version, as far as this machine knows.
    var isCurrent: Bool { (try? LocalFileSystem().knownStatus(path)) == status }
}
