import FirnSync

/// The usage of a cache's directory by all processes: the content of the shared record.
///
/// Source: Documentation/Formats/data-cache.md, "The record". Numbers are little-endian.
///
///      0  magic "FIRU"             24  changes (u64)
///      4  version (u32)            32  time of the last read of the directory, ns since 1970 (i64)
///      8  bytes (i64)              40  XXH64 of all other bytes (u64)
///     16  entries (i64)                 48  hits, misses, stores, evictions (u64 each)
struct CacheUsage: Hashable {
    var bytes = 0
    var count = 0
    /// The number of changes to the directory by all processes.
    var changes: UInt64 = 0
    /// The time when a process last read the whole directory, in nanoseconds since 1970.
    var scanned: Int64 = .min

    /// Counts of all processes since the record was created.
    var totals = DataCacheTotals()

    private static let magic: UInt32 = 0x5552_4946
    private static let version: UInt32 = 1
    private static let length = 80

    /// The record's bytes.
    var data: Data {
        var data: [UInt8] = []
        data.reserveCapacity(CacheUsage.length)
        data.append(
            littleEndian: CacheUsage.magic, CacheUsage.version, Int64(bytes), Int64(count), changes, scanned,
            UInt64(0), totals.hits, totals.misses, totals.stores, totals.evictions)
        let sum = data.withUnsafeBytes { CacheUsage.sum($0) }
        withUnsafeBytes(of: sum.littleEndian) { data.replaceSubrange(40..<48, with: $0) }
        return Data(data)
    }

    /// Returns the checksum of all bytes except the checksum.
    private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        XXH64.hash(
            UnsafeRawBufferPointer(rebasing: bytes[48..<length]),
            seed: XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes.prefix(40))))
    }

    /// Adds a file.
    mutating func add(_ size: Int) {
        bytes = bytes.saturatingAdd(size)
        count = count.saturatingAdd(1)
    }

    /// Removes a file.
    mutating func remove(_ size: Int) {
        bytes = max(0, bytes - size)
        count = max(0, count - 1)
    }
}

extension CacheUsage {
    /// Reads a record; returns `nil` if it is empty, damaged or of another version.
    init?(_ data: Data) {
        guard data.count >= CacheUsage.length else { return nil }
        let read = data.withUnsafeBytes { bytes -> CacheUsage? in
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes.prefix(CacheUsage.length)))
            guard reader.integer(UInt32.self) == CacheUsage.magic, reader.integer(UInt32.self) == CacheUsage.version,
                let held = reader.integer(Int64.self), let count = reader.integer(Int64.self),
                let changes = reader.integer(UInt64.self), let scanned = reader.integer(Int64.self),
                reader.integer(UInt64.self) == CacheUsage.sum(bytes), let hits = reader.integer(UInt64.self),
                let misses = reader.integer(UInt64.self), let stores = reader.integer(UInt64.self),
                let evictions = reader.integer(UInt64.self), held >= 0, count >= 0
            else { return nil }
            return CacheUsage(
                bytes: Int(held), count: Int(count), changes: changes, scanned: scanned,
                totals: DataCacheTotals(hits: hits, misses: misses, stores: stores, evictions: evictions))
        }
        guard let read else { return nil }
        self = read
    }
}
