import FirnSync
import HTTPTypes

/// The recently requested local files. The status of a file is read at most once per ``freshness``. The status of an
/// unknown file is never read on the thread of a connection.
struct LocalFiles: Sendable {
    /// The folder that all files are below; `nil` for none.
    let root: String?
    /// The time for which a file counts as unchanged; zero to ask the system each time.
    let freshness: Duration
    let threads = FileSystemThreads()
    /// The files by their requested paths, with the time of their check.
    private let checked = Locked(BoundedMap<String, (source: SourceReference, time: Int64)>(limit: 4096))

    /// Returns the source of a path below the root if its file was checked recently.
    func recent(_ path: Substring) throws(ServeError) -> SourceReference? {
        fresh(try SourceReference.requestedPath(path, root))
    }

    /// Returns the source of a path below the root. A cancelled task does not wait for the file system.
    ///
    /// - Throws: status 404 as ``SourceReference/file(_:_:)``.
    func source(_ path: Substring) async throws(ServeError) -> SourceReference {
        let requested = try SourceReference.requestedPath(path, root)
        let queue = threads.queue(for: requested)
        let call = try? await BlockingCall.run(on: queue, leavesRunning: true) { [root] _ in
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

/// The threads that ask file systems: eight for each mount point, so that one that stops responding delays no other.
struct FileSystemThreads: Sendable {
    private let known = Locked<(queues: [String: WorkerQueue], readAt: Int64?)>(([:], nil))

    /// Returns the threads for the file system of a path, which is not accessed. Mount points are read every 5 seconds.
    func queue(for path: String) -> WorkerQueue {
        let now = MonotonicClock.now()
        return known.withLock { known in
            if known.readAt.map({ now - $0 > 5_000_000_000 }) ?? true {
                known.readAt = now
                for mount in FileSystemThreads.mounts where known.queues[mount] == nil {
                    known.queues[mount] = WorkerQueue(count: 8)
                }
            }
            let mounts = known.queues.keys.filter { path == $0 || path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
            return mounts.max { $0.utf8.count < $1.utf8.count }.flatMap { known.queues[$0] } ?? .images
        }
    }

    /// - Source: proc(5), `/proc/pid/mountinfo`.
    private static var mounts: [String] {
        guard let table = try? LocalFileSystem().read("/proc/self/mountinfo", first: 1 << 20) else { return [] }
        return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap {
            $0.split(separator: " ").dropFirst(4).first.map { String($0.replacing("\\040", with: " ")) }
        }
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
