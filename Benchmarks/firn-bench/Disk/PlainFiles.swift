import FirnCache
import FirnData
import FoundationEssentials
import FirnSystem

/// The peer of the data cache: the same bytes with plain system calls.
struct PlainFiles {
    let folder: String

    func path(_ number: Int) -> String { "\(folder)/\(number)" }

    /// Writes a file under a temporary name and renames it.
    func store(_ body: Data, _ number: Int) {
        let temporary = "\(folder)/\(number).tmp"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { return }
        _ = body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        rename(temporary, path(number))
    }

    /// Maps a file and hashes all of it with the cache's hash function.
    func hash(_ path: String) -> UInt64 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        let size = Int(status.st_size)
        guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), base != MAP_FAILED else { return 0 }
        defer { munmap(base, size) }
        return XXH64.hash(UnsafeRawBufferPointer(start: base, count: size))
    }
}
