import CFirnCodecs

/// The rows of one image of a sequence, with its transparency.
///
/// Images are decoded one unit at a time, so that a decode can be stopped. Rows are then computed directly from the
/// decoder's planes, which are never copied as a whole.
final class HEVCRowSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    private let color: HEVCTrackDecoder
    private let sample: Int
    private let alpha: (decoder: HEVCTrackDecoder, sample: Int)?
    private let matrix: firn_matrix
    private let divides: Bool
    private var nextRow = 0

    init(
        _ color: HEVCTrackDecoder, sample: Int, alpha: (decoder: HEVCTrackDecoder, sample: Int)?, matrix: firn_matrix,
        divides: Bool, layout: SampleLayout
    ) {
        self.color = color
        self.sample = sample
        self.alpha = alpha
        self.matrix = matrix
        self.divides = divides
        self.layout = layout
        size = color.parameters.size
    }

    /// Does a bounded amount of work toward the image.
    ///
    /// - Returns: whether its rows can be read.
    func isReady(_ chain: ByteChain) throws(ImageDecodingError) -> Bool {
        guard try color.advance(to: sample, chain) else { return false }
        if let alpha, try !alpha.decoder.advance(to: alpha.sample, chain) { return false }
        _ = try checkedPlanes()
        return true
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        guard try isReady(chain) else { return RowProgress(rows: 0, state: .more) }
        var planes = try checkedPlanes()
        let count = min(memory.rows, size.height - nextRow)
        firn_planes_rows(
            &planes, layout.library, UInt32(clamping: nextRow), UInt32(clamping: count),
            memory.base.assumingMemoryBound(to: UInt8.self), memory.bytesPerRow)
        nextRow += count
        return RowProgress(rows: count, state: nextRow == size.height ? .end : .more)
    }

    /// Returns the planes of both images; throws unless they match each other and the announced size.
    private func checkedPlanes() throws(ImageDecodingError) -> firn_planes {
        guard var planes = color.planes(of: sample), Int(planes.planes.0.width) == size.width,
            Int(planes.planes.0.height) == size.height
        else { throw ImageDecodingError(.data, "a frame has another size than declared") }
        if let alpha {
            guard let transparency = alpha.decoder.planes(of: alpha.sample) else {
                throw ImageDecodingError(.data, "a frame has no transparency where it is declared")
            }
            planes.alpha = transparency.planes.0
        }
        planes.matrix = matrix
        planes.divides = divides
        guard firn_planes_valid(&planes) else {
            throw ImageDecodingError(
                .unsupported, "the samples of a frame, or their matrix \(matrix.matrix), are of no known kind")
        }
        return planes
    }
}
