import FirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials

/// The outcome of decoding a file: images or faults.
enum Outcome: Equatable, CustomStringConvertible {
    case image(PixelSize, [UInt8])
    case fault(ImageError.Fault)

    var isImage: Bool { if case .image = self { true } else { false } }

    var description: String {
        switch self {
        case .image(let size, let bytes):
            "\(size), \(bytes.reduce(UInt64(1469)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })"
        case .fault(let fault): "\(fault)"
        }
    }

    /// Decodes with a session.
    init(_ session: any ImageDecodingSession, _ options: DecodingOptions) {
        do throws(ImageError) {
            let bitmap = try session.decode(options)
            self = .image(bitmap.size, bitmap.packed)
        } catch {
            self = .fault(error.fault)
        }
    }

    /// Returns the outcomes of the first `frames` frames of a file that the decoder of `format` reads.
    static func of(
        _ file: Data, as format: ImageFormat, _ isolation: DecoderIsolation, _ options: DecodingOptions,
        frames: Int = 3, limits: ImageLimits = ImageLimits()
    ) throws -> [Outcome] {
        let decoders = try ImageDecoders.standard(isolation: isolation)
        guard let decoder = decoders.first(where: { $0.recognizes(file.prefix(ImageFormat.sniffLength)) == format })
        else { return [] }
        let session = decoder.makeSession(limits: limits, cancellation: CancellationFlag())
        do throws(ImageError) {
            try session.append(file)
            session.finish()
            let count = try session.frames().count
            var options = options
            return (0..<max(1, min(count, frames))).map { frame in
                options.frame = frame
                return Outcome(session, options)
            }
        } catch {
            return [.fault(error.fault)]
        }
    }
}

extension DecoderIsolation {
    /// The decoder programs of this build.
    static func built(_ isolation: DecoderIsolation) -> DecoderIsolation {
        var isolation = isolation
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), bytes.count) }
                ?? 0
        }
        let own = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        isolation.decoderPath = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/firn-decoder"
        return isolation
    }
}

extension Bitmap {
    /// The bytes without the padding of rows.
    var packed: [UInt8] {
        let row = size.width * format.bytesPerPixel
        return withUnsafeBytes { bytes in
            (0..<size.height).flatMap { Array(bytes[$0 * bytesPerRow..<$0 * bytesPerRow + row]) }
        }
    }
}
