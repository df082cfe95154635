import FirnSync
import FoundationEssentials
import FirnSystem

/// Memory that a file is read into. Ends with exactly one call of ``data()``, ``mapped(_:)`` or ``free()``.
struct FileBlock {
    private var base: UnsafeMutableRawPointer?
    private var capacity: Int
    /// Bytes read so far.
    var count = 0

    /// Creates a block for `capacity` bytes. The first ``reserve(limit:)`` allocates it.
    init(capacity: Int) { self.capacity = capacity }

    /// The position of the next byte.
    var end: UnsafeMutableRawPointer? { base.map { $0 + count } }
    var room: Int { capacity - count }

    /// Makes room for at least one byte, up to `limit` bytes in total. Returns `false` if memory is exhausted.
    mutating func reserve(limit: Int) -> Bool {
        if base != nil, room > 0 { return true }
        let wanted = base == nil ? max(capacity, 1) : min(max(capacity.saturatingMultiply(2), 4096), limit)
        guard let larger = realloc(base, wanted) else { return false }
        base = larger
        capacity = wanted
        return true
    }

    func data() -> Data {
        guard let base, count > 0 else {
            free()
            return Data()
        }
        return Data(bytesNoCopy: base, count: count, deallocator: .free)
    }

    func mapped(_ status: FileStatus) -> MappedFile {
        let address = UInt(bitPattern: base)
        var status = status
        status.size = count
        return MappedFile(adopting: UnsafeRawBufferPointer(start: base, count: count), status: status) {
            FirnSystem.free(UnsafeMutableRawPointer(bitPattern: address))
        }
    }

    func free() { FirnSystem.free(base) }
}
