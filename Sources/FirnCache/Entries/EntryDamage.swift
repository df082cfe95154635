/// The reason why a file is not an entry.
enum EntryDamage: Error, Hashable, CustomStringConvertible {
    case foreign
    case version(UInt16)
    case torn(expected: Int, found: Int)
    case header
    case body
    case misplaced

    /// The reason in one line.
    var description: String {
        switch self {
        case .foreign: "not a cache entry"
        case .version(let number): "written by format version \(number), which this program does not read"
        case .torn(let expected, let found): "torn: \(found) bytes where \(expected) were written"
        case .header: "its header does not match its checksum"
        case .body: "its body does not match its checksum"
        case .misplaced: "its key belongs to another file name"
        }
    }
}
