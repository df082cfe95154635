import FirnData

/// The header of an entry's file.
struct EntryHeader: Hashable {
    var key: String
    var fields: HTTPHeaderFields
    var metadata: [String: String] = [:]
    /// When it was stored, in nanoseconds since 1970.
    var created: Int64
    /// Offset of the body.
    var length: Int
    var bodyLength: Int
    var bodyHash: UInt64

    /// Length of the file.
    var fileLength: Int { length + bodyLength }
}
