import FirnImage
import FoundationEssentials

/// The mask after an icon's pixels: a bit of 1 makes a pixel transparent. Pixels with alpha of their own do not use it.
///
/// If the file ends before its mask, no pixel is hidden. Windows inverts the screen under a hidden pixel that is not
/// black; here such a pixel is transparent, too.
struct IconMask {
    private let header: DIBHeader
    private let offset: Int
    /// The offset after the mask.
    let end: Int

    /// - Throws: ``ImageDecodingError/Fault/limit`` if the end of the mask overflows.
    init(_ header: DIBHeader) throws(ImageDecodingError) {
        self.header = header
        offset = try header.pixelEnd()
        end = try header.maskEnd()
    }

    /// Returns whether the mask has been received, or the file has ended.
    func isThere(_ chain: ByteChain) -> Bool { chain.isFinished || chain.count >= end }

    /// Makes the hidden pixels of rows transparent, as far as their mask is there.
    ///
    /// - Parameter place: the row of `memory` with the first of `rows`.
    func apply(
        to memory: RowMemory, at place: Int, rows: Range<Int>, _ chain: ByteChain, _ layout: SampleLayout
    ) {
        guard layout == .bgra8 || layout == .rgba8 else { return }
        let (size, bytesPerRow, isTopDown) = (header.size, header.maskBytesPerRow, header.isTopDown)
        let first = isTopDown ? rows.lowerBound : size.height - rows.upperBound
        let start = offset + first * bytesPerRow
        let wanted = (rows.count - 1) * bytesPerRow + (size.width + 7) / 8
        guard let bits = chain.bytes(at: start, count: max(0, min(wanted, chain.count - start))) else { return }
        for row in rows {
            let start = ((isTopDown ? row : size.height - 1 - row) - first) * bytesPerRow
            let target = memory.row(place + row - rows.lowerBound)
            // A row whose mask is cut off stays as it is.
            guard start + (size.width + 7) / 8 <= bits.count, target.count >= size.width * 4 else { continue }
            var pixels = target.mutableBytes
            for x in 0..<size.width where bits.bytes.byte(at: start + x / 8) & 0x80 >> (x % 8) != 0 {
                pixels.storeBytes(of: 0, toByteOffset: x * 4 + 3, as: UInt8.self)
            }
        }
    }
}
