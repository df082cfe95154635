// Whole numbers as files store them.

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns an unsigned number of `size` bytes (1 to 7) at `offset` from the start, most significant byte first.
    /// Traps unless all of them exist.
    func big(_ offset: Int, _ size: Int) -> Int { part(offset, size).reduce(0) { $0 << 8 | Int($1) } }

    /// Returns an unsigned number of `size` bytes (1 to 7) at `offset` from the start, least significant byte first.
    /// Traps unless all of them exist.
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

    /// Returns the lowest `count` bytes, the most significant first if `isBig`.
    func bytes(_ count: Int, isBig: Bool) -> [UInt8] { isBig ? bigEndianBytes(count) : littleEndianBytes(count) }
}

/// The name of a chunk or box: four bytes, which are letters in valid files.
struct FourCharacterCode: Hashable, ExpressibleByStringLiteral {
    /// The four bytes as a number, the first one most significant.
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral text: StaticString) {
        rawValue = text.withUTF8Buffer { bytes in
            var value: UInt32 = 0
            for index in 0..<min(4, bytes.count) { value = value << 8 | UInt32(bytes[index]) }
            return value
        }
    }

    /// The four bytes.
    var bytes: [UInt8] { rawValue.bigEndianBytes(4) }
}

extension ByteChain {
    /// Returns the four-character code at `offset`; `nil` if some of its bytes have not been received.
    func code(at offset: Int) -> FourCharacterCode? {
        big(offset, 4).map { FourCharacterCode(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    /// Returns an unsigned number of `size` bytes (1 to 8), most significant byte first, at most `Int.max`; `nil` if
    /// some have not been received.
    func big(_ offset: Int, _ size: Int) -> Int? { number(bytes(at: offset, count: size)) }

    /// Returns an unsigned number of `size` bytes (1 to 8), least significant byte first, at most `Int.max`; `nil` if
    /// some have not been received.
    func little(_ offset: Int, _ size: Int) -> Int? { number(bytes(at: offset, count: size)?.reversed()) }

    private func number(_ bytes: (some Sequence<UInt8>)?) -> Int? {
        bytes.map { Int(clamping: $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }) }
    }

    /// Returns `result`, for a caller that needs more bytes.
    ///
    /// - Throws: ``/FirnImage/ImageError/Fault/data`` with `message` if the file has ended.
    func waiting<Result>(_ result: Result = (), else message: String) throws(ImageError) -> Result {
        if isFinished { throw .data(message) }
        return result
    }
}

extension RawSpan {
    /// Returns the four bytes at `offset` as a number, the first byte lowest. Traps unless all lie in the span.
    @inline(__always)
    func littleEndian32(at offset: Int) -> UInt32 {
        // Safety: this form of the load checks the bounds, and any four bytes are a number.
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns the eight bytes at `offset` as a number, the first byte lowest. Traps unless all lie in the span.
    @inline(__always)
    func littleEndian64(at offset: Int) -> UInt64 {
        // Safety: as above.
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns sixteen numbers of four bytes each from `offset` on, the first byte of each lowest. Traps unless all lie
    /// in the span.
    @inline(__always)
    func sixteenWords(at offset: Int) -> SIMD16<UInt32> {
        // Safety: as above.
        unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt32>.self)
    }

    /// Returns the byte at `offset`. Traps unless it lies in the span.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        // Safety: as above.
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Returns the offset of the first byte from `start` on that equals `value`; `nil` if there is none.
    func offset(of value: UInt8, from start: Int) -> Int? {
        var offset = start
        let all = UInt64(value) &* 0x0101_0101_0101_0101
        while offset <= byteCount &- 8 {
            // Equal bytes become 0. The lowest marked byte is the first of them; marks above it may be wrong.
            let word = littleEndian64(at: offset) ^ all
            let marks = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if marks != 0 { return offset &+ marks.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < byteCount {
            if byte(at: offset) == value { return offset }
            offset &+= 1
        }
        return nil
    }

    /// Calls `body` for each of the first `count` pixels, with a span, the offset of the pixel in it, and its number.
    ///
    /// Speed: the spans hold 8 pixels each. Their length is known to the compiler if `bytes` and `further` are, so that
    /// the bounds are checked once for each span.
    ///
    /// - Parameter further: the bytes after a pixel that `body` reads, too.
    @inline(__always)
    func forEachPixel(bytes: Int, further: Int = 0, count: Int, _ body: (RawSpan, Int, Int) -> Void) {
        var x = 0
        while x &+ 8 <= count {
            let start = x &* bytes
            let part = extracting(start..<start &+ (8 &* bytes &+ further))
            for pixel in 0..<8 { body(part, pixel &* bytes, x &+ pixel) }
            x &+= 8
        }
        while x < count {
            body(self, x &* bytes, x)
            x &+= 1
        }
    }

    /// Copies as many first bytes as `target` has room for.
    func copy(to target: UnsafeMutableRawBufferPointer) {
        withUnsafeBytes { bytes in
            // Safety: the count is at most that of both.
            if let from = bytes.baseAddress, let to = target.baseAddress {
                to.copyMemory(from: from, byteCount: Swift.min(bytes.count, target.count))
            }
        }
    }
}
