import FirnSystem

/// An IPv4 or IPv6 address, as a number.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as IPv6. An IPv4 address is mapped (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2).
    let number: UInt128
    /// True if it was given as IPv4.
    let isVersion4: Bool

    var high: UInt64 { UInt64(truncatingIfNeeded: number >> 64) }
    var low: UInt64 { UInt64(truncatingIfNeeded: number) }
}

extension NetworkAddress {
    init(version4 number: UInt32) { self.init(number: 0xFFFF_0000_0000 | UInt128(number), isVersion4: true) }

    /// Reads an address: `192.0.2.1` or `2001:db8::1`, with or without brackets and zone.
    ///
    /// Returns `nil` for a name, another number notation (`127.1`, `0x7f000001`), or any other text.
    /// ``FirnData/WebAddress`` hosts have no other notation.
    package init?(_ text: String) {
        var text = Substring(text)
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        var four = in_addr()
        if inet_pton(AF_INET, String(text), &four) == 1 {
            self.init(version4: UInt32(bigEndian: four.s_addr))
            return
        }
        // A zone names the interface and does not change the number.
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        var six = in6_addr()
        guard inet_pton(AF_INET6, String(text), &six) == 1 else { return nil }
        self.init(version6: six)
    }

    /// Reads the address of a socket; returns `nil` for other address families.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(version4: UInt32(bigEndian: four.sin_addr.s_addr))
        case AF_INET6:
            self.init(version6: UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    private init(version6 address: in6_addr) {
        let number = withUnsafeBytes(of: address) { $0.loadUnaligned(as: UInt128.self) }
        self.init(number: UInt128(bigEndian: number), isVersion4: false)
    }

    /// The address as part of a URL: IPv6 in brackets.
    var bracketed: String { isVersion4 ? description : "[\(description)]" }

    package var description: String {
        if isVersion4 {
            return [24, 16, 8, 0].map { String(low >> $0 & 255) }.joined(separator: ".")
        }
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: number.bigEndian, as: UInt128.self) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        _ = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

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
