import CFirnCodecs
import FirnImage
import FirnSync
import FoundationEssentials

/// A C decoder in this process.
///
/// Safety: owns its C object, which one thread at a time uses.
final class LocalDecoder: DecoderCalls {
    private let handle: OpaquePointer
    /// The whole file, for codecs with random access.
    private var whole: ByteChain?

    /// - Throws: ``ImageDecodingError/Fault/limit`` if the system has no memory, or the codec is left out of this
    ///   build.
    init(_ codec: firn_codec, _ limits: ImageLimits) throws(ImageDecodingError) {
        var bounds = firn_limits(limits)
        guard let handle = firn_decoder_open(codec, &bounds) else {
            throw ImageDecodingError(.limit, "no memory for a decoder")
        }
        self.handle = handle
    }

    /// Creates a decoder with random access to `file`, which must be complete.
    convenience init(
        _ codec: firn_codec, _ limits: ImageLimits, reaching file: ByteChain
    ) throws(ImageDecodingError) {
        try self.init(codec, limits)
        whole = file
        // Safety: C does not retain the context, and the C object does not outlive this one.
        let context = Unmanaged.passUnretained(self).toOpaque()
        var source = firn_source(context: context, length: UInt64(clamping: file.count)) {
            context, offset, target, count in
            guard let context, let target else { return 0 }
            return Unmanaged<LocalDecoder>.fromOpaque(context).takeUnretainedValue().copy(
                from: Int(clamping: offset), to: UnsafeMutableRawBufferPointer(start: target, count: count))
        }
        firn_decoder_reach(handle, &source)
    }

    private func copy(from offset: Int, to target: UnsafeMutableRawBufferPointer) -> Int {
        guard let whole else { return 0 }
        return whole.forEachPiece(in: offset..<offset.saturatingAdd(target.count)) { piece, place in
            piece.bytes.copy(to: UnsafeMutableRawBufferPointer(rebasing: target[(place - offset)...]))
        } - offset
    }

    deinit { firn_decoder_close(handle) }

    func lending(_ bytes: Data, _ body: () -> firn_status) -> firn_status {
        bytes.withUnsafeBytes { bytes in
            firn_decoder_relend(handle, bytes.bindMemory(to: UInt8.self).baseAddress)
            return body()
        }
    }

    func feed(_ bytes: Data, isLast: Bool) {
        bytes.withUnsafeBytes { bytes in
            _ = firn_decoder_feed(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, isLast)
        }
    }

    func header(_ take: (firn_header) -> Void) -> firn_status {
        var header = firn_header()
        let status = firn_decoder_header(handle, &header)
        if status == FIRN_OK { take(header) }
        return status
    }

    func frame(_ index: Int, _ frame: inout firn_frame) -> firn_status {
        firn_decoder_frame(handle, UInt32(clamping: index), &frame)
    }

    func start(_ options: firn_options, _ output: inout firn_output) -> firn_status {
        var options = options
        return firn_decoder_start(handle, &options, &output)
    }

    func read(_ base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int, _ done: inout Int) -> firn_status {
        var count: UInt32 = 0
        defer { done = Int(count) }
        return firn_decoder_read(
            handle, base.assumingMemoryBound(to: UInt8.self), bytesPerRow, UInt32(clamping: rows), &count)
    }

    func preview(_ base: UnsafeMutableRawPointer, bytesPerRow: Int) -> firn_status {
        firn_decoder_preview(handle, base.assumingMemoryBound(to: UInt8.self), bytesPerRow)
    }

    var hasFailed: Bool { firn_decoder_message(handle).pointee != 0 }

    func error(_ status: firn_status) -> ImageDecodingError {
        ImageDecodingError(ImageDecodingError.fault(status), String(cString: firn_decoder_message(handle)))
    }
}
