import FoundationEssentials

/// Makes long GIFs with frames of one color each: a few hundred bytes a frame, at any size.
enum PlainGIF {
    /// Returns an animation of `count` frames; frame n has the gray level `level(n)`.
    static func data(width: Int, height: Int, count: Int, hundredths: Int) -> Data {
        var bytes = Array("GIF89a".utf8) + GIFBlocks.little(width, height) + [0xF7, 0, 0]
        bytes += (0...255).flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
        bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for frame in 0..<count {
            bytes += [0x21, 0xF9, 4, 0] + GIFBlocks.little(hundredths) + [0, 0, 0x2C]
            bytes += GIFBlocks.little(0, 0, width, height) + [0, 8]
            bytes += GIFBlocks.blocks(run(of: level(frame), count: width * height))
        }
        return Data(bytes + [0x3B])
    }

    /// Returns the gray level of a frame; neighbors differ.
    static func level(_ frame: Int) -> UInt8 { UInt8(truncatingIfNeeded: frame &* 37 &+ 5) }

    /// Returns the LZW codes of a run: the string of each code is one longer than that of the last.
    ///
    /// `count` pixels need about √(2·count) codes, which must stay below 3,800: 7 million pixels.
    private static func run(of index: UInt8, count: Int) -> [UInt8] {
        var codes = CodePacker()
        // The width of a code follows from the reader's next free entry: 258 after the first code, then one more each.
        var written = 0
        var size: Int { 257 + max(1, written) < 512 ? 9 : Int.bitWidth - (257 + written).leadingZeroBitCount }
        codes.add(256, width: 9)
        var left = count
        var length = 1
        while left > 0 {
            let taken = min(length, left)
            codes.add(taken == 1 ? Int(index) : 256 + taken, width: size)
            left -= taken
            length += 1
            written += 1
        }
        codes.add(257, width: size)
        return codes.bytes
    }
}
