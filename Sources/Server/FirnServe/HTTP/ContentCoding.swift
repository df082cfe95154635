import CFirnZlib
import FirnData
import FoundationEssentials

extension FieldList {
    /// Returns the quality values of a field such as `Accept`, in thousandths by lower-case name: 1000 if a member has
    /// none, 0 if it is malformed. Reads at most 64 members.
    ///
    /// - Source: RFC 9110 §12.4.2, §12.5.1, §12.5.3.
    static func weights(_ field: String) -> [String: Int] {
        let weights = members(field).prefix(64).compactMap { member -> (String, Int)? in
            let parts = member.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let text = parts.dropFirst().first { $0.hasPrefix("q=") }?.utf8.dropFirst(2)
            let weight = text.map { min(1000, (IIIFNumber.decimal(Array($0)) ?? 0) / 1000) }
            return parts.first.map { ($0, weight ?? 1000) }
        }
        return Dictionary(weights, uniquingKeysWith: max)
    }
}

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
