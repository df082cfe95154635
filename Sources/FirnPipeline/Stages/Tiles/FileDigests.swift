import FirnData
import FirnImage
import FirnSync

/// The digests of files, by path and version, so that the content of a file is read for one once.
final class FileDigests: Sendable {
    private struct Known {
        let version: SourceVersion
        let digest: UInt64
    }

    /// Few files have pyramids at the same time.
    private static let limit = 64

    private let known = Locked<[String: Known]>([:])

    /// Returns the digest of a file; `nil` if it cannot be read or is of another version by now. Blocks on the disk.
    func digest(of path: String, _ version: SourceVersion, _ files: any FileSystem) -> UInt64? {
        if let found = known.withLock({ $0[path] }), found.version == version { return found.digest }
        guard let file = try? files.open(path), SourceVersion(file.status) == version,
            let digest = try? file.digest(), (try? files.status(path)).map({ SourceVersion($0) }) == version
        else { return nil }
        known.withLock { known in
            if known.count >= FileDigests.limit { known.removeAll() }
            known[path] = Known(version: version, digest: digest)
        }
        return digest
    }
}
