import FoundationEssentials

/// Reads a QOI file: a header of 14 bytes, then codes for pixels in order.
///
/// - Source: "The Quite OK Image Format", specification version 1.0, 2022.01.05.
final class QOIReader: FileReader, FormatReader {
    /// The bytes of the header.
    static let headerLength = 14

    let format = ImageFormat.qoi

    func scan(_ chain: inout ByteChain) throws(ImageDecodingError) {
        if properties == nil {
            guard let width = chain.big(4, 4), let height = chain.big(8, 4), let channels = chain.byte(at: 12),
                let space = chain.byte(at: 13)
            else { return try chain.waiting(else: "the header is cut short") }
            let size = PixelSize(width: width, height: height)
            guard !size.isEmpty else { throw ImageDecodingError(.data, "has no pixels: its size is \(size)") }
            guard channels == 3 || channels == 4 else {
                throw ImageDecodingError(.data, "says that pixels have \(channels) channels; there are 3 or 4")
            }
            guard space <= 1 else { throw ImageDecodingError(.data, "names a color space \(space) that there is not") }
            try limits.check(size, states: "has")
            var properties = ImageProperties(format: .qoi, size: size)
            properties.hasAlpha = channels == 4
            // The primaries of sRGB, and linear samples.
            if space == 1 { properties.colorDescription = ColorDescription(primaries: 1, transfer: 8) }
            self.properties = properties
            frames = [StoredFrame(size: size, hasAlpha: properties.hasAlpha)]
        }
        // The place of the last pixel's code is known only once all are decoded.
        if chain.isFinished, !isEndSeen, !frames.isEmpty {
            isEndSeen = true
            frames[0].isComplete = try isWhole(frames[0].size, chain)
        }
    }

    /// Returns whether a file that has arrived whole holds the codes of all pixels.
    private func isWhole(_ size: PixelSize, _ chain: ByteChain) throws(ImageDecodingError) -> Bool {
        // Order: most files end with the eight bytes of the end, and need no walk over their codes.
        if chain.big(chain.count - 8, 8) == 1 { return true }
        var left = size.area
        var position = QOIReader.headerLength
        while left > 0 {
            try chain.watch.check()
            let piece = chain.piece(at: position)
            guard !piece.isEmpty else { return false }
            var index = piece.startIndex
            while left > 0, index < piece.endIndex {
                let code = QOICodes.measure(piece[index])
                left -= code.pixels
                index += code.length
            }
            position += index - piece.startIndex
        }
        return position <= chain.count
    }

    func workingBytes(for request: RowRequest) -> Int { (frames.first?.size.width ?? 0) * 4 }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        guard let frame = frame(request.frame) else { return nil }
        return QOIRowSource(frame.size, hasAlpha: frame.hasAlpha, layout: request.layout)
    }
}
