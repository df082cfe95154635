/// Identifies the resource of a root job. Hashed once, by its creator, and not at every lookup.
protocol JobKey: Equatable {
    /// A number that is the same for equal keys and differs for most others, in all of its bits.
    var keyHash: UInt { get }
}

extension Int: JobKey {
    /// Source: Knuth, The Art of Computer Programming, volume 3, 6.4 (multiplicative hashing).
    var keyHash: UInt {
        let product = UInt(bitPattern: self) &* 0x9e37_79b9_7f4a_7c15
        return product ^ (product >> 32)
    }
}
