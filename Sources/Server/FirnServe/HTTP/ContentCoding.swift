import CFirnZlib
import FirnData
import FoundationEssentials

/// The quality values of a field such as `Accept`, in thousandths by lower-case name: 1000 if a member has none, 0 if
/// it is malformed. At most 64 members are read.
///
/// - Source: RFC 9110 §12.4.2, §12.5.1, §12.5.3.
struct QualityValues {
    private var weights: [String: Int] = [:]

    init(_ field: String) {
        for member in FieldList.members(field).prefix(64) {
            let parts = member.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            if let name = parts.first { weights[name] = max(weights[name] ?? 0, QualityValues.weight(parts)) }
        }
    }

    subscript(_ name: String) -> Int? { weights[name] }

    private static func weight(_ parts: [String]) -> Int {
        guard let text = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return 1000 }
        return min(1000, (IIIFNumber.decimal(Array(text.utf8.dropFirst(2))) ?? 0) / 1000)
    }
}

enum GzipCoding {
    /// Returns data as one gzip member; `nil` if there is no memory, or for more than 4 GiB.
    static func compressed(_ data: Data) -> Data? {
        var stream = z_stream()
        guard let length = UInt32(exactly: data.count),
            // 15 bits of window, and 16 for the frame of gzip.
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var (input, output) = (Array(data), [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(length)))))
        let code = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (input.baseAddress, length)
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(clamping: output.count))
                return deflate(&stream, Z_FINISH)
            }
        }
        return code == Z_STREAM_END ? Data(output.prefix(Int(stream.total_out))) : nil
    }
}
