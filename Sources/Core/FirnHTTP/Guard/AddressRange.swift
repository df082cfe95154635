extension NetworkPolicy {
    /// A range of IP addresses with a common prefix: `10.0.0.0/8`, `fc00::/7`.
    package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
        package let first: NetworkAddress
        /// The length of the prefix in bits, as in the text: up to 32 or 128.
        package let length: Int
        private let mask: UInt128

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
            let bits = address.isVersion4 ? length + 96 : length
            mask = UInt128.max << (128 - bits)
            first = NetworkAddress(number: address.number & mask, isVersion4: address.isVersion4)
        }

        /// Returns whether the range contains an address. A range contains only addresses of its own IP version.
        package func contains(_ address: NetworkAddress) -> Bool {
            address.isVersion4 == first.isVersion4 && address.number & mask == first.number
        }

        package var description: String { "\(first)/\(length)" }
    }
}
