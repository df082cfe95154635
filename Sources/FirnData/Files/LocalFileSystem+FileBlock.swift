import FoundationEssentials
import FirnSystem

/// Memory that a file is being read into. Ends in exactly one of ``data()``, ``mapped(_:)`` and ``free()``.
struct FileBlock {
    private var base: UnsafeMutableRawPointer?
    private var capacity: Int
    /// Bytes read so far.
    var count = 0

    /// Memory for `capacity` bytes, had at the first ``reserve(limit:)``.
    init(capacity: Int) { self.capacity = capacity }

    /// Where the next byte goes.
    var end: UnsafeMutableRawPointer? { base.map { $0 + count } }
    /// Bytes that may be put there.
    var room: Int { capacity - count }

    /// Sees to it that there is room for a byte, but for no more than `limit` in all; `false` where there is no memory.
    mutating func reserve(limit: Int) -> Bool {
        if base != nil, room > 0 { return true }
        let (doubled, overflow) = capacity.multipliedReportingOverflow(by: 2)
        let wanted = base == nil ? max(capacity, 1) : min(overflow ? limit : max(doubled, 4096), limit)
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
