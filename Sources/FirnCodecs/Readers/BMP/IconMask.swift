import FirnImage
import FoundationEssentials

/// The bits behind an icon's pixels: 1 where the image is transparent. Pixels with alpha of their own do without.
///
/// A mask that has not come when the file ends hides nothing. What the original system does where a hidden pixel is not
/// black, inverting the screen, is not done.
struct IconMask {
    private let offset: Int
    private let bytesPerRow: Int
    private let size: PixelSize
    private let isTopDown: Bool
    /// Offset behind the mask.
    let end: Int

    /// - Throws: ``ImageDecodingError/Fault/limit`` if its bytes cannot be counted.
    init(_ header: DIBHeader, at offset: Int) throws(ImageDecodingError) {
        self.offset = offset
        bytesPerRow = header.maskBytesPerRow
        size = header.size
        isTopDown = header.isTopDown
        let (bytes, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        let (end, overflow2) = offset.addingReportingOverflow(bytes)
        guard !overflow, !overflow2 else { throw ImageDecodingError(.limit, "its mask cannot be counted in bytes") }
        self.end = end
    }

    /// Whether the mask has come, or will not.
    func isThere(_ chain: ByteChain) -> Bool { chain.isFinished || chain.count >= end }

    /// Makes pixels of row `y` transparent.
    func apply(to row: UnsafeMutableRawPointer, y: Int, _ chain: ByteChain, _ layout: SampleLayout) {
        guard layout == .bgra8 || layout == .rgba8 else { return }
        let stored = isTopDown ? y : size.height - 1 - y
        let at = offset + stored * bytesPerRow
        guard let bits = chain.bytes(at: at, count: (size.width + 7) / 8) else { return }
        let pixels = row.assumingMemoryBound(to: UInt8.self)
        bits.withUnsafeBytes { (bits: UnsafeRawBufferPointer) in
            for x in 0..<size.width where bits[x / 8] & 0x80 >> (x % 8) != 0 {
                pixels[x * 4 + 3] = 0
            }
        }
    }
}
