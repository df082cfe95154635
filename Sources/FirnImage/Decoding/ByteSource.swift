package import FoundationEssentials

/// A file of known length with random access, which a decoder reads on demand instead of holding it in memory.
package protocol ByteSource: Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Returns `count` bytes from `offset` on; fewer at the end of the file. Blocks.
    ///
    /// - Throws: any error; its description tells the user why the bytes cannot be read.
    func read(at offset: Int, count: Int) throws -> Data

    /// Returns a new descriptor of a regular file that holds all bytes, from its first byte on, open for reading only;
    /// the caller closes it. `nil` if there is none.
    func readOnlyDescriptor() -> Int32?
}

extension ByteSource {
    /// The default has no descriptor.
    package func readOnlyDescriptor() -> Int32? { nil }
}

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
