import FoundationEssentials

/// Writes GIF files of up to four colors without compression: a clear code precedes every index.
struct HandmadeGIF {
    struct Frame {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        var indices: [UInt8]
        var transparent: UInt8?
        /// The delay in hundredths of a second.
        var delay = 0
        var isInterlaced = false
        /// 1 keep, 2 background, 3 previous.
        var disposal = 0
        /// The frame's local palette of four colors.
        var palette: [UInt8] = []
    }

    var width: Int
    var height: Int
    /// Four colors: red, green, blue, white.
    var palette: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
    var frames: [Frame]
    var loops: Int?
    /// True if the file names the older version of GIF.
    var isOld = false
    /// Blocks before the frames.
    var extensions: [UInt8] = []

    var data: Data {
        var bytes = Array((isOld ? "GIF87a" : "GIF89a").utf8) + GIFBlocks.little(width, height)
        bytes += [0x81, 0, 0]
        bytes += palette
        if let loops {
            bytes += [0x21, 0xFF, 11]
            bytes += Array("NETSCAPE2.0".utf8)
            bytes += [3, 1]
            bytes += GIFBlocks.little(loops)
            bytes.append(0)
        }
        bytes += extensions
        for frame in frames {
            let flags = UInt8(frame.disposal << 2) | (frame.transparent == nil ? 0 : 1)
            bytes += [0x21, 0xF9, 4, flags]
            bytes += GIFBlocks.little(frame.delay)
            bytes += [frame.transparent ?? 0, 0, 0x2C]
            bytes += GIFBlocks.little(frame.left, frame.top, frame.width, frame.height)
            bytes.append((frame.isInterlaced ? 0x40 : 0) | (frame.palette.isEmpty ? 0 : 0x81))
            bytes += frame.palette
            bytes.append(2)
            bytes += GIFBlocks.blocks(packed(frame.indices))
        }
        return Data(bytes + [0x3B])
    }

    /// Returns codes of three bits: clear (4), index, clear, index, …, end (5).
    private func packed(_ indices: [UInt8]) -> [UInt8] {
        var codes = CodePacker()
        for code in indices.flatMap({ [4, Int($0)] }) + [5] { codes.add(code, width: 3) }
        return codes.bytes
    }
}
