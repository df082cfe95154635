extension NetworkAddress {
    /// The address itself, and every IPv4 address to which a network may deliver its packets instead.
    var reachable: [NetworkAddress] {
        if isVersion4 { return [self] }
        return [self] + embedded.map { NetworkAddress(version4: $0) }
    }

    /// The IPv4 addresses embedded in an IPv6 address.
    private var embedded: [UInt32] {
        let last = UInt32(truncatingIfNeeded: low)
        var found: [UInt32] = []
        // Mapped and translated (RFC 4291 §2.5.5.2, RFC 2765), and compatible (RFC 4291 §2.5.5.1), except :: and ::1.
        if high == 0, low >> 32 == 0xFFFF || low >> 32 == 0xFFFF_0000 { found.append(last) }
        if high == 0, low >> 32 == 0, low > 1 { found.append(last) }
        // 6to4 (RFC 3056): after 2002.
        if high >> 48 == 0x2002 { found.append(UInt32(truncatingIfNeeded: high >> 16)) }
        // Teredo (RFC 4380): the server and the inverted client.
        if high >> 32 == 0x2001_0000 {
            found.append(UInt32(truncatingIfNeeded: high))
            found.append(~last)
        }
        // NAT64 (RFC 6052): the well-known prefix, and the local-use prefix (RFC 8215) with the addresses at each of
        // its lengths.
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { found.append(last) }
        if high >> 16 == 0x0064_FF9B_0001 {
            found.append(last)
            found.append(UInt32(truncatingIfNeeded: high << 16) | UInt32(truncatingIfNeeded: low >> 40) & 0xFFFF)
            found.append(UInt32(truncatingIfNeeded: low >> 24))
        }
        // ISATAP (RFC 5214): an IPv4 address as interface identifier.
        if low >> 32 & 0xFCFF_FFFF == 0x0000_5EFE { found.append(last) }
        return found
    }
}
