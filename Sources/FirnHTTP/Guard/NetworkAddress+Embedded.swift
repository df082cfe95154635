extension NetworkAddress {
    /// The address itself, and every address of version 4 that a network may send its packets to instead.
    var reachable: [NetworkAddress] {
        if isVersion4 { return [self] }
        return [self] + embedded.map { NetworkAddress(version4: $0) }
    }

    /// Addresses of version 4 inside one of version 6.
    private var embedded: [UInt32] {
        let last = UInt32(truncatingIfNeeded: low)
        var found: [UInt32] = []
        // Mapped and translated (RFC 4291 §2.5.5.2, RFC 2765), and compatible (RFC 4291 §2.5.5.1); not :: and ::1.
        if high == 0, low >> 32 == 0xFFFF || low >> 32 == 0xFFFF_0000 { found.append(last) }
        if high == 0, low >> 32 == 0, low > 1 { found.append(last) }
        // 6to4 (RFC 3056): behind 2002.
        if high >> 48 == 0x2002 { found.append(UInt32(truncatingIfNeeded: high >> 16)) }
        // Teredo (RFC 4380): the server, and the client, inverted.
        if high >> 32 == 0x2001_0000 {
            found.append(UInt32(truncatingIfNeeded: high))
            found.append(~last)
        }
        // NAT64 (RFC 6052): the well-known prefix, and the local-use one (RFC 8215) with the addresses where its lengths put them.
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { found.append(last) }
        if high >> 16 == 0x0064_FF9B_0001 {
            found.append(last)
            found.append(UInt32(truncatingIfNeeded: high << 16) | UInt32(truncatingIfNeeded: low >> 40) & 0xFFFF)
            found.append(UInt32(truncatingIfNeeded: low >> 24))
        }
        // ISATAP (RFC 5214): an interface identifier that is one of version 4.
        if low >> 32 & 0xFCFF_FFFF == 0x0000_5EFE { found.append(last) }
        return found
    }
}
