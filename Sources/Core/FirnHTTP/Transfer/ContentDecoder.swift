import CFirnZlib

/// Decodes `gzip` and `deflate` incrementally: takes compressed bytes as they arrive and returns pieces of at most 64
/// KiB on demand.
///
/// A body may have several consecutive gzip members. Bytes after the last one are ignored. `deflate` is accepted with
/// or without the zlib frame, since servers send both. Source: RFC 1952 §2.2, RFC 9110 §8.4.1.2 and §8.4.1.3.
final class ContentDecoder {
    private enum Phase {
        /// Before the first byte of a member.
        case start
        case inside
        case over
    }

    private static let pieceLength = 64 << 10

    private let coding: ContentCoding.Step
    private let stream: UnsafeMutablePointer<z_stream>
    private let piece: UnsafeMutableRawPointer
    private var phase = Phase.start
    /// Compressed bytes, and the number already consumed.
    private var pending = Data()
    private var consumed = 0
    private var members = 0
    /// True if zlib may have more output than fit into the last piece.
    private var hasMore = false

    init(_ coding: ContentCoding.Step) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        piece = .allocate(byteCount: ContentDecoder.pieceLength, alignment: 16)
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        piece.deallocate()
    }

    /// Takes compressed bytes. Earlier bytes must have been consumed.
    func feed(_ bytes: Data) {
        if left == 0 { pending = bytes } else { pending = pending.suffix(left) + bytes }
        consumed = 0
    }

    private var left: Int { pending.count - consumed }

    /// Returns a byte of the next ones, by offset.
    private func byte(_ offset: Int) -> UInt8? {
        offset < left ? pending[pending.startIndex + consumed + offset] : nil
    }

    /// Returns the next piece; `nil` if more compressed bytes are needed or the body is complete.
    func next() throws(DataLoadingError) -> Data? {
        while true {
            switch phase {
            case .over:
                (pending, consumed) = (Data(), 0)
                return nil
            case .start: guard try begin() else { return nil }
            case .inside:
                guard left > 0 || hasMore else { return nil }
                let count = try step()
                if count > 0 { return Data(bytes: piece, count: count) }
                guard phase != .inside || hasMore else { return nil }
            }
        }
    }

    /// Marks the end of the compressed bytes.
    func finish() throws(DataLoadingError) {
        // An empty body is valid. The first byte of another member is trailing garbage.
        if phase == .over || members > 0 && phase == .start || members == 0 && left == 0 { return }
        throw DataLoadingError(.truncated, "the compressed body ended before its end")
    }

    /// Starts a member once its kind is known.
    private func begin() throws(DataLoadingError) -> Bool {
        guard let first = byte(0) else { return false }
        let second = byte(1)
        if members > 0, first != 0x1f || second ?? 0x8b != 0x8b {
            phase = .over
            return true
        }
        guard let second else { return false }
        let isFramed = first & 15 == 8 && (UInt(first) << 8 | UInt(second)) % 31 == 0
        let window: Int32 = coding == .gzip ? 15 + 16 : isFramed ? 15 : -15
        let code =
            members > 0
            ? inflateReset(stream)
            : inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw DataLoadingError(.other, "there is no memory to decompress the body") }
        members += 1
        phase = .inside
        return true
    }

    /// Decompresses up to one piece.
    ///
    /// - Returns: the number of bytes.
    private func step() throws(DataLoadingError) -> Int {
        let stream = stream
        let piece = piece
        var code = Z_OK
        let (consumed, left) = (consumed, left)
        self.consumed += pending.withUnsafeBytes { bytes in
            let count = min(left, 1 << 30)
            let start = bytes.baseAddress?.advanced(by: consumed).assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = start.map { UnsafeMutablePointer(mutating: $0) }
            stream.pointee.avail_in = UInt32(count)
            stream.pointee.next_out = piece.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(ContentDecoder.pieceLength)
            code = inflate(stream, Z_NO_FLUSH)
            return count - Int(stream.pointee.avail_in)
        }
        hasMore = stream.pointee.avail_out == 0
        let count = ContentDecoder.pieceLength - Int(stream.pointee.avail_out)
        switch code {
        case Z_OK: break
        case Z_BUF_ERROR: hasMore = false
        case Z_STREAM_END:
            hasMore = false
            phase = coding == .gzip ? .start : .over
        default: throw DataLoadingError(.other, "the body cannot be decompressed: \(reason(code))")
        }
        return count
    }

    private func reason(_ code: Int32) -> String {
        switch code {
        case Z_NEED_DICT: "it needs a dictionary"
        case Z_MEM_ERROR: "there is no memory"
        default: stream.pointee.msg.map { String(cString: $0) } ?? "its data is damaged"
        }
    }
}
