import FirnData
import FirnSystem

/// A source whose address was checked: a file below the local root, an HTTP URL of an allowed host, or an object of an
/// allowed bucket.
package enum SourceReference: Sendable, Hashable {
    /// A regular file, with what tells its versions apart.
    case file(path: String, version: String)
    case http(url: String, host: String)
    /// An object of an allowed bucket.
    case s3(url: String, bucket: String)

    /// What admission counts sources by.
    package var host: String {
        switch self {
        case .file: "local"
        case .http(_, let host): host
        case .s3(_, let bucket): "s3:\(bucket)"
        }
    }

    /// The text by which results of the source are told apart from those of others.
    package var key: String {
        switch self {
        case .file(let path, let version): "file:\(path)@\(version)"
        case .http(let url, _), .s3(let url, _): url
        }
    }

    /// Checks an address.
    ///
    /// - Throws: status 404 for addresses that are not allowed and for missing files; the message tells neither paths
    ///   of the system nor whether a file outside the root exists.
    package init(_ address: String, _ settings: ServeSettings) throws(ServeError) {
        if address.hasPrefix("local://") {
            self = try SourceReference.file(address.dropFirst(8), settings.localRoot)
        } else if address.hasPrefix("http://") || address.hasPrefix("https://") {
            guard let host = SourceHost(url: address), host.isAllowed(by: settings.allowedHosts) else {
                throw ServeError(404, "the source is not allowed")
            }
            self = .http(url: address, host: host.name)
        } else if address.hasPrefix("s3://") {
            guard let source = settings.s3Sources.source(address) else {
                throw ServeError(404, "the source is not allowed")
            }
            self = .s3(url: source.url, bucket: source.bucket)
        } else {
            throw ServeError(404, "the source has a scheme that is not served")
        }
    }

    /// Finds a file by its path below a root. Links are followed as long as they stay below the root.
    package static func file(_ path: Substring, _ root: String?) throws(ServeError) -> SourceReference {
        let missing = ServeError(404, "there is no such local source")
        guard let root, let below = plain(path), let base = resolved(root), let found = resolved(base + "/" + below),
            found.hasPrefix(base == "/" ? base : base + "/")
        else { throw missing }
        guard let status = try? LocalFileSystem().status(found), status.isRegular else { throw missing }
        let version = [Int64(status.size), status.modified, Int64(truncatingIfNeeded: status.inode)]
        return .file(path: found, version: version.map { String($0, radix: 36) }.joined(separator: "-"))
    }

    /// The path without empty parts; `nil` if it is none or leads upward.
    fileprivate static func plain(_ path: Substring) -> String? {
        guard !path.utf8.contains(0) else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        return parts.isEmpty || parts.contains("..") ? nil : parts.joined(separator: "/")
    }

    /// The path without links; `nil` if it does not exist.
    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(validatingCString: found)
    }
}

/// A local file as it was when it was looked at, so that a request for it needs one look to know that it still is.
struct SourceFile: Sendable {
    /// With the links that the address goes through, so that one that leads elsewhere is noticed.
    private let path: String
    private let status: FileStatus

    /// - Returns: `nil` for other sources, and for files that are not there.
    init?(_ address: String, _ root: String?) {
        guard let root, address.hasPrefix("local://"), let below = SourceReference.plain(address.dropFirst(8)),
            let status = try? LocalFileSystem().status(root + "/" + below)
        else { return nil }
        path = root + "/" + below
        self.status = status
    }

    var isCurrent: Bool { (try? LocalFileSystem().status(path)) == status }
}
