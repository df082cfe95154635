/// The addresses outside the public Internet, by kind.
///
/// Source: IANA's special-purpose address registries of both versions, and the addresses of cloud metadata services.
package enum SpecialAddresses {
    /// Returns the kind of an address outside the public Internet, for messages; `nil` for other addresses.
    package static func name(of address: NetworkAddress) -> String? {
        for (name, ranges) in table where ranges.contains(where: { $0.contains(address) }) { return name }
        // Only this part of the IPv6 space is allocated.
        if !address.isVersion4, address.high >> 61 != 1 { return "reserved" }
        return nil
    }

    // Order: the first match determines the name.
    private static let table: [(String, [NetworkPolicy.AddressRange])] = [
        (
            "a cloud's metadata service",
            ranges(
                "169.254.169.254", "169.254.170.0/24", "100.100.100.200", "168.63.129.16", "192.0.0.192",
                "fd00:ec2::/32")
        ),
        ("loopback", ranges("127.0.0.0/8", "::1")),
        ("unspecified", ranges("0.0.0.0/8", "::")),
        ("private", ranges("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10")),
        ("link-local", ranges("169.254.0.0/16", "fe80::/10")),
        ("shared by a provider's customers", ranges("100.64.0.0/10")),
        ("multicast", ranges("224.0.0.0/4", "ff00::/8")),
        (
            "reserved",
            ranges(
                "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
                "240.0.0.0/4", "100::/64", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "3fff::/20",
                "5f00::/16")
        ),
    ]

    private static func ranges(_ texts: String...) -> [NetworkPolicy.AddressRange] {
        texts.compactMap { NetworkPolicy.AddressRange($0) }
    }
}
