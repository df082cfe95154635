import FirnData

extension NetworkPolicy {
    /// A range of IP addresses with a common prefix: `10.0.0.0/8`, `fc00::/7`.
    package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
        package let first: NetworkAddress
        /// The length of the prefix in bits, as in the text: up to 32 or 128.
        package let length: Int
        private let bits: Int

        /// Reads a range in CIDR notation. An address without a length is a range of one address.
        ///
        /// Returns `nil` if the text is not an IPv4 or IPv6 address, or if the length is not a decimal number up to 32
        /// (IPv4) or 128 (IPv6).
        package init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = NetworkAddress(String(parts[0])) else { return nil }
            let most = address.isVersion4 ? 32 : 128
            guard let length = parts.count == 1 ? most : Int(digits: parts[1].utf8), length <= most else { return nil }
            self.length = length
            bits = address.isVersion4 ? length + 96 : length
            let (high, low) = AddressRange.masks(bits)
            first = NetworkAddress(
                high: address.high & high, low: address.low & low, isVersion4: address.isVersion4)
        }

        private static func masks(_ bits: Int) -> (UInt64, UInt64) {
            (
                bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits)),
                bits <= 64 ? 0 : ~(bits >= 128 ? 0 : .max >> UInt64(bits - 64))
            )
        }

        /// Returns whether the range contains an address. A range contains only addresses of its own IP version.
        package func contains(_ address: NetworkAddress) -> Bool {
            guard address.isVersion4 == first.isVersion4 else { return false }
            let (high, low) = AddressRange.masks(bits)
            return address.high & high == first.high && address.low & low == first.low
        }

        package var description: String { "\(first)/\(length)" }
    }
}
