/// The memory of a ``CodedWindow``, for loops without reference counts. The window allocates it and releases it.
///
/// Safety: each access is checked, or its offset counts modulo ``count``. The window outlives all cursors.
struct WindowBytes {
    static let count = 1 << 16

    /// ``count`` bytes, and those of a word that begins with the last one of them.
    private let memory: UnsafeMutableRawBufferPointer

    init() {
        memory = .allocate(byteCount: WindowBytes.count + 8, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    func deallocate() { memory.deallocate() }

    /// Returns the eight bytes from `offset` on, the first one highest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(
            bigEndian: memory.baseAddress.unsafelyUnwrapped.loadUnaligned(
                fromByteOffset: offset & (WindowBytes.count - 1), as: UInt64.self))
    }

    func set(_ byte: UInt8, at offset: Int) {
        var bytes = memory.mutableBytes
        bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Moves a range of bytes, as far as it is inside, to the start.
    func move(_ range: Range<Int>) {
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range.clamped(to: 0..<WindowBytes.count)]))
    }

    /// Sets a range of bytes, as far as it is inside, to 0.
    func clear(_ range: Range<Int>) {
        UnsafeMutableRawBufferPointer(rebasing: memory[range.clamped(to: 0..<WindowBytes.count)])
            .initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Returns the number of FF in a range of bytes, as far as it is inside.
    func stuffed(_ range: Range<Int>) -> Int {
        memory[range.clamped(to: 0..<WindowBytes.count)].reduce(0) { $1 == 0xFF ? $0 &+ 1 : $0 }
    }

    /// Copies coded data without stuffed zeros to `start`, up to an FF that no zero follows. Up to 31 bytes after
    /// those written may change.
    ///
    /// Requires a little-endian machine, as all that Swift supports on Linux are.
    func unstuff(_ source: RawSpan, to start: Int) -> (read: Int, written: Int) {
        var target = memory.mutableBytes
        var read = 0
        var place = start
        while true {
            var isFound = false
            while source.byteCount - read >= WindowBytes.step, target.byteCount - place >= WindowBytes.step {
                let bytes = source.unsafeLoadUnaligned(fromByteOffset: read, as: SIMD4<UInt64>.self)
                target.storeBytes(of: bytes, toByteOffset: place, as: SIMD4<UInt64>.self)
                let found = WindowBytes.firstFF(bytes)
                read += found ?? WindowBytes.step
                place += found ?? WindowBytes.step
                isFound = found != nil
                if isFound { break }
            }
            while !isFound, read < source.byteCount {
                let byte = source.byte(at: read)
                isFound = byte == 0xFF
                if isFound { break }
                target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
                read += 1
                place += 1
            }
            guard source.byteCount - read >= 2, source.byte(at: read + 1) == 0 else {
                return (read, place - start)
            }
            target.storeBytes(of: 0xFF, toByteOffset: place, as: UInt8.self)
            read += 2
            place += 1
        }
    }

    /// The bytes that are copied and searched at a time.
    private static let step = 32

    /// Returns the place of the first FF in `bytes`, of which each word has eight, the first one lowest; `nil` if there
    /// is none.
    ///
    /// - Source: Warren, Hacker's Delight, §6-1: the lowest bit found belongs to the first zero, here of the
    ///   complement.
    @inline(__always)
    private static func firstFF(_ bytes: SIMD4<UInt64>) -> Int? {
        let complement = bytes ^ SIMD4(repeating: ~0)
        let found =
            (complement &- SIMD4(repeating: 0x0101_0101_0101_0101)) & bytes & SIMD4(repeating: 0x8080_8080_8080_8080)
        guard (found[0] | found[1]) | (found[2] | found[3]) != 0 else { return nil }
        if found[0] != 0 { return found[0].trailingZeroBitCount / 8 }
        if found[1] != 0 { return 8 + found[1].trailingZeroBitCount / 8 }
        return found[2] != 0 ? 16 + found[2].trailingZeroBitCount / 8 : 24 + found[3].trailingZeroBitCount / 8
    }
}
