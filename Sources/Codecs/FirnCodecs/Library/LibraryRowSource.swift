import CFirnCodecs
import FirnImage

/// The rows of a C decoder that has been started.
final class LibraryRowSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let isWhole: Bool
    let fillsInOrder: Bool
    let hasPreviews: Bool
    let bytesNeeded: Int?
    private let decoder: LibraryDecoder

    init(_ decoder: LibraryDecoder, _ output: firn_output, layout: SampleLayout) {
        self.decoder = decoder
        self.layout = layout
        size = PixelSize(width: Int(output.width), height: Int(output.height))
        isWhole = output.whole
        fillsInOrder = !output.whole || output.in_order
        hasPreviews = output.previews
        bytesNeeded = output.bytes_needed == 0 ? nil : Int(clamping: output.bytes_needed)
    }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        var done = 0
        let status = decoder.run(chain) {
            $0.read(base, bytesPerRow: bytesPerRow, rows: rows, &done)
        }
        switch status {
        case FIRN_OK: return RowProgress(rows: done, state: .more)
        case FIRN_NEED_DATA: return RowProgress(rows: done, state: .needsBytes)
        case FIRN_END: return RowProgress(rows: done, state: .end)
        default: throw decoder.error(status)
        }
    }

    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool {
        let status = decoder.runOnce {
            $0.preview(base, bytesPerRow: bytesPerRow)
        }
        switch status {
        case FIRN_OK: return true
        case FIRN_NEED_DATA: return false
        default: throw decoder.error(status)
        }
    }
}
