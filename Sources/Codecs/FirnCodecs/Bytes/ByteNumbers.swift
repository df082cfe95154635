import FoundationEssentials

// Whole numbers as files store them.

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns an unsigned number of `size` bytes (1 to 7), most significant byte first. Traps unless all of them, from
    /// the `offset`th on, are there.
    func big(_ offset: Int, _ size: Int) -> Int { part(offset, size).reduce(0) { $0 << 8 | Int($1) } }

    /// Returns an unsigned number of `size` bytes (1 to 7), least significant byte first. Traps unless all of them, from
    /// the `offset`th on, are there.
    func little(_ offset: Int, _ size: Int) -> Int { part(offset, size).reversed().reduce(0) { $0 << 8 | Int($1) } }

    private func part(_ offset: Int, _ size: Int) -> SubSequence {
        self[startIndex + offset..<startIndex + offset + size]
    }
}

extension FixedWidthInteger {
    /// Returns the lowest `count` bytes, most significant byte first.
    func bigEndianBytes(_ count: Int) -> [UInt8] { littleEndianBytes(count).reversed() }

    /// Returns the lowest `count` bytes, least significant byte first.
    func littleEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
