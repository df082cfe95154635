import Firn
import FirnReport
import FirnSync
import FoundationEssentials

/// Where the images of a batch are written, without harm to files that are there.
///
/// - No source of the batch is written over, under any of its names: files are compared by device and inode.
/// - A file that was made of the same source by the same command before is replaced. It is known by its ``FileMark``, or, without a mark, by having
///   the very bytes that would be written.
/// - Any other file stays, and a number is added to the name. With `keepsExisting` every file that is there stays, and the source
///   counts as done.
final class OutputPlaces: Sendable {
    /// What became of an image.
    enum Place: Sendable {
        case written(String)
        /// A file of that name was there and stays.
        case kept(String)

        var path: String {
            switch self {
            case .written(let path), .kept(let path): path
            }
        }
    }

    /// A file whatever it is called.
    private struct FileID: Hashable {
        let device: UInt64
        let inode: UInt64

        /// `nil` if there is none. Links are followed.
        init?(_ path: String) {
            guard let status = try? LocalFileSystem().status(path) else { return nil }
            device = status.device
            inode = status.inode
        }
    }

    private let sources: Set<FileID>
    private let purpose: String
    private let keepsExisting: Bool
    private let names = Locked(OutputNames())
    /// More files of one name are not looked at.
    private static let mostNumbers = 10_000

    /// - Parameters:
    ///   - sources: the paths of all sources that are files.
    ///   - purpose: the name of the command, a part of the mark.
    ///   - keepsExisting: whether no file is ever replaced.
    init(sources: [String], purpose: String, keepsExisting: Bool) {
        self.sources = Set(sources.compactMap { FileID($0) })
        self.purpose = purpose
        self.keepsExisting = keepsExisting
    }

    /// A path without extension that no other image of the batch gets.
    func reserve(_ wanted: String) -> String { names.withLock { $0.reserve(wanted) } }

    /// Writes an image to `stem.fileExtension`, or to the next number that is free.
    ///
    /// - Parameter stem: what ``reserve(_:)`` returned for this source.
    func write(
        _ data: Data, of source: LoadSource, to stem: String, fileExtension: String
    ) throws(OutputFault) -> Place {
        let own = source.path.flatMap { FileID($0) }
        let mark = mark(of: source)
        var current = stem
        for _ in 0..<OutputPlaces.mostNumbers {
            let path = "\(current).\(fileExtension)"
            switch occupant(of: path, own: own, mark: mark, data) {
            case nil:
                do throws(FileError) {
                    try OutputFile.create(data, at: path, mark: mark)
                    return .written(path)
                } catch {
                    // Something got the name meanwhile, or it is a link that leads nowhere.
                    guard error.isExisting else { throw .file(error) }
                    if keepsExisting { return .kept(path) }
                }
            case .some where keepsExisting: return .kept(path)
            case .some(.itself): throw .itself(path: path)
            case .some(.earlier): return try replace(path, data, mark)
            case .some(.same): return .written(path)
            case .some(.other): break
            }
            current = reserve(stem)
        }
        throw .file(FileError("write", "\(stem).\(fileExtension)", code: 17))
    }

    /// Writes an image to the very path that the user named, in place of a file that is there; only sources are not replaced.
    func write(_ data: Data, of source: LoadSource, toFile path: String) throws(OutputFault) -> Place {
        if let there = FileID(path) {
            if keepsExisting { return .kept(path) }
            if let own = source.path.flatMap({ FileID($0) }), own == there { throw .itself(path: path) }
            try check(path)
        }
        return try replace(path, data, mark(of: source))
    }

    /// - Throws: ``OutputFault/source(path:)`` if a path that the user named is a source's.
    func check(_ path: String) throws(OutputFault) {
        if let there = FileID(path), sources.contains(there) { throw .source(path: path) }
    }

    private func replace(_ path: String, _ data: Data, _ mark: String?) throws(OutputFault) -> Place {
        do throws(FileError) {
            try OutputFile.write(data, to: path, mark: mark)
            return .written(path)
        } catch {
            throw .file(error)
        }
    }

    /// What has a name already.
    private enum Occupant { case itself, earlier, same, other }

    private func occupant(of path: String, own: FileID?, mark: String?, _ data: Data) -> Occupant? {
        let files = LocalFileSystem()
        guard let there = FileID(path), let status = try? files.status(path) else { return nil }
        if there == own { return .itself }
        if status.isDirectory || sources.contains(there) { return .other }
        let older = FileMark.of(path)
        if let mark, older == mark { return .earlier }
        // A marked file is another source's, which may be written anew and look different then.
        if older == nil, status.size == data.count, (try? files.read(path, first: data.count + 1)) == data {
            return .same
        }
        return .other
    }

    /// `load:` and the SHA-256 of what names the source: the address itself may hold a secret.
    private func mark(of source: LoadSource) -> String? {
        source.identity.map { identity in
            var hash = SHA256()
            var text = identity
            text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
            return "\(purpose):\(hash.digest())"
        }
    }

    /// Whether a file was made by the command of this name.
    static func isProcessed(_ path: String, by purpose: String) -> Bool {
        FileMark.of(path)?.hasPrefix("\(purpose):") == true
    }
}
