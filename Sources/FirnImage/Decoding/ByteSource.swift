package import FoundationEssentials

/// Bytes at rest, read where and when they are needed: a file that a decoder need not have in memory as a whole.
package protocol ByteSource: Sendable {
    /// Number of bytes, known beforehand.
    var count: Int { get }

    /// `count` bytes from `offset` on; fewer where the bytes end early. Blocks.
    ///
    /// - Throws: any error; its description tells the user why the bytes cannot be had.
    func read(at offset: Int, count: Int) throws -> Data
}

/// A session that reads bytes at rest itself, as far as it needs them and when it does.
package protocol ByteSourceReading: ImageDecodingSession {
    /// Hands over bytes at rest as the next bytes of the file.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if the file is longer than `maximumBytes`.
    func read(from source: any ByteSource) throws(ImageDecodingError)
}

extension ImageDecodingSession {
    /// Hands over bytes at rest: a session that is no ``ByteSourceReading`` gets all of them, piece by piece, in memory.
    package func append(contentsOf source: any ByteSource) throws(ImageDecodingError) {
        if let session = self as? any ByteSourceReading { return try session.read(from: source) }
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
