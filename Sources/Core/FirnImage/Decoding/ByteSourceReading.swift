package import FirnSync
import FoundationEssentials

/// A session that reads from a byte source on demand.
package protocol ByteSourceReading: ImageDecodingSession {
    /// Adds the bytes of a source as the next bytes of the file.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if the file is longer than `maximumBytes`.
    func read(from source: any ByteSource) throws(ImageDecodingError)
}

extension ImageDecodingSession {
    /// Adds the bytes of a source. A session that is not a ``ByteSourceReading`` gets all of them in memory, piece by
    /// piece.
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
