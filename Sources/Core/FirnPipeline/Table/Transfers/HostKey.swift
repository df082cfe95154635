/// Identifies a host: scheme, host and port of an address, or a file system.
///
/// Holds a hash, which is cheaper to compare and store than a string. Two hosts with the same hash share their limits,
/// which does no harm.
struct HostKey: Hashable, Sendable {
    let number: UInt64
    /// True for a file system of this machine, whose files are read without a transfer.
    private(set) var isFileSystem = false

    init(number: UInt64) { self.number = number }

    /// Creates the key of the file system that has this number of a device.
    init(fileSystem: UInt64) { (number, isFileSystem) = (~fileSystem, true) }

    /// Creates the key of an address from everything before the path, case-insensitively.
    ///
    /// Source: FNV-1a, 64 bits.
    init(address: String) {
        number =
            address.utf8.withContiguousStorageIfAvailable { HostKey.hash($0) } ?? HostKey.hash(Array(address.utf8))
    }

    private static func hash(_ address: some Collection<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var slashes = 0
        for byte in address {
            if byte == UInt8(ascii: "/") {
                slashes += 1
                if slashes == 3 { break }
            }
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            hash = (hash ^ UInt64(isUpper ? byte | 0x20 : byte)) &* 0x100_0000_01b3
        }
        return hash
    }
}
