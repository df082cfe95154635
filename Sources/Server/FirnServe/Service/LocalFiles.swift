import FirnData
import FirnImage
import FirnSync
import HTTPTypes

/// The recently requested local files. The status of a file is read at most once per ``freshness``. The status of an
/// unknown file is never read on the thread of a connection.
struct LocalFiles: Sendable {
    /// The folder that all files are below; `nil` for none.
    let root: String?
    /// The time for which a file counts as unchanged; zero to ask the system each time.
    let freshness: Duration
    /// The files by their requested paths, with the time of their check.
    private let checked = Locked(BoundedMap<String, (source: SourceReference, time: Int64)>(limit: 4096))

    /// Returns the source of a path below the root.
    ///
    /// - Throws: status 404 as ``SourceReference/file(_:_:)``.
    func source(_ path: Substring) async throws(ServeError) -> SourceReference {
        let requested = try SourceReference.requestedPath(path, root)
        if let source = fresh(requested) { return source }
        let call = try? await BlockingCall.run { [root] _ in
            Result { () throws(ServeError) in try SourceReference.file(path, root) }
        }
        guard let source = try call?.get() else { throw .clientClosed }
        note(source, requested)
        return source
    }

    /// Returns whether a source is unchanged. Never contacts the server of a network file system.
    func isCurrent(_ source: SourceReference) -> Bool {
        guard case .file(_, let version) = source else { return true }
        if let current = fresh(version.path) { return current == source }
        guard version.isCurrent else { return false }
        note(source, version.path)
        return true
    }

    private func fresh(_ requested: String) -> SourceReference? {
        guard freshness > .zero, let file = checked.withLock({ $0.value(for: requested) }),
            MonotonicClock.now() - file.time < freshness.nanoseconds
        else { return nil }
        return file.source
    }

    private func note(_ source: SourceReference, _ requested: String) {
        guard freshness > .zero else { return }
        let now = MonotonicClock.now()
        checked.withLock { $0.store((source, now), for: requested) }
    }
}

extension SourceReference {
    /// Checks the address of a source that is not local.
    ///
    /// - Parameter client: the fields of the client's request. Default: none.
    /// - Throws: status 404 for addresses that are not allowed and for missing files; the message reveals neither
    ///   system paths nor whether a file outside the root exists.
    init(_ address: String, _ settings: ServeSettings, client: HTTPFields = [:]) throws(ServeError) {
        if let web = WebAddress(address) {
            // Parsers disagree about backslashes, so a guard rejects them.
            guard !address.utf8.contains(UInt8(ascii: "\\")), let host = settings.allowedHosts.host(of: web) else {
                throw ServeError(404, "the source is not allowed")
            }
            self = .http(url: web.resource, host: host, fields: settings.fields(for: web, client))
        } else if address.hasPrefix("s3://") {
            guard let source = settings.s3Sources.source(address) else {
                throw ServeError(404, "the source is not allowed")
            }
            self = .s3(url: source.url, bucket: source.bucket)
        } else {
            throw ServeError(404, "the source has a scheme that is not served")
        }
    }
}
