import CFirnZlib

enum GzipCoding {
    /// Returns data as one gzip member; `nil` if that is not shorter.
    static func compressed(_ data: Data) -> Data? {
        var (stream, input, output) = (z_stream(), Array(data), [UInt8](repeating: 0, count: data.count))
        // 15 bits of window, and 16 for the frame of gzip.
        guard let length = UInt32(exactly: data.count),
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        (stream.avail_in, stream.avail_out) = (length, length)
        let code = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.next_out) = (input.baseAddress, output.baseAddress)
                return deflate(&stream, Z_FINISH)
            }
        }
        return code == Z_STREAM_END ? Data(output.prefix(Int(stream.total_out))) : nil
    }
}
