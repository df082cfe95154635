/// Names whom a transfer goes to: scheme, host and port of an address.
///
/// A number computed from the text, and not the text itself: it is compared and kept per job. Two hosts that happen to
/// have the same number share their limits, which does no harm.
struct HostKey: Hashable, Sendable {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The host of an address: everything before the path, compared without case.
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
