public import FoundationEssentials

/// Bytes at rest, read where and when they are needed: a file that a decoder need not have in memory as a whole.
public protocol ByteSource: Sendable {
    /// Number of bytes, known beforehand.
    var count: Int { get }

    /// `count` bytes from `offset` on; fewer where the bytes end early. Blocks.
    ///
    /// - Throws: any error; its description tells the user why the bytes cannot be had.
    func read(at offset: Int, count: Int) throws -> Data
}

extension ImageDecodingSession {
    /// Reads all of it, piece by piece, into memory.
    public func append(contentsOf source: any ByteSource) throws(ImageDecodingError) {
        let pieceLength = 256 << 10
        var offset = 0
        while offset < source.count {
            let piece: Data
            do {
                piece = try source.read(at: offset, count: min(pieceLength, source.count - offset))
            } catch {
                throw ImageDecodingError(.data, "\(error)")
            }
            guard !piece.isEmpty else { break }
            try append(piece)
            offset += piece.count
        }
    }
}
