import CFirnCodecs
import FirnSync
import FoundationEssentials

/// A C decoder in this process.
///
/// Long calls of libraries that decode an image in one call run on another thread (``DetachedCall``). Once the watch
/// has ended one, that thread alone uses the C object, and every later call here fails.
final class LocalDecoder: DecoderCalls {
    /// Safety: one thread at a time uses the C object.
    private final class Object: @unchecked Sendable {
        let handle: OpaquePointer
        /// The whole file, for codecs with random access.
        let whole: ByteChain?

        init(_ handle: OpaquePointer, _ whole: ByteChain?) {
            self.handle = handle
            self.whole = whole
        }

        deinit { firn_decoder_close(handle) }

        func copy(from offset: Int, to target: UnsafeMutableRawBufferPointer) -> Int {
            guard let whole else { return 0 }
            return whole.forEachPiece(in: offset..<offset.saturatingAdd(target.count)) { piece, place in
                piece.bytes.copy(to: UnsafeMutableRawBufferPointer(rebasing: target[(place - offset)...]))
            } - offset
        }
    }

    /// A result that a call writes.
    private final class Box<Value> {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let object: Object
    /// Ends the calls of a library that cannot be interrupted; `nil` for other libraries.
    private let watch: DecodingWatch?
    /// The bytes fed last.
    private var lent = Data()
    private var output = firn_output()
    /// True once rows were read after the last start.
    private var hasRead = false
    /// True once the watch has ended a call.
    private var isLeft = false

    /// - Parameter file: a complete file, for codecs with random access. Default: the bytes are fed.
    /// - Throws: ``ImageError/Fault/limit`` if the system has no memory, or the codec is left out of this
    ///   build.
    init(
        _ codec: firn_codec, _ limits: ImageLimits, _ watch: DecodingWatch, reaching file: ByteChain? = nil
    ) throws(ImageError) {
        var bounds = firn_limits(limits)
        guard let handle = firn_decoder_open(codec, &bounds) else { throw .limit("no memory for a decoder") }
        // These libraries decode a whole image in one call.
        let isDetached = [FIRN_CODEC_AVIF, FIRN_CODEC_HEIC, FIRN_CODEC_JXL, FIRN_CODEC_SVG].contains(codec)
        self.watch = isDetached ? watch : nil
        // A detached call reads on its own thread, even after its caller has left.
        let whole = isDetached ? file?.unwatched.reopened(blockLength: BlockReader.usualBlockLength) : file
        object = Object(handle, whole)
        guard file != nil else { return }
        // Safety: C does not retain the context, and the C object does not outlive it.
        let context = Unmanaged.passUnretained(object).toOpaque()
        var source = firn_source(context: context, length: UInt64(clamping: whole?.count ?? 0)) {
            context, offset, target, count in
            guard let context, let target else { return 0 }
            return Unmanaged<Object>.fromOpaque(context).takeUnretainedValue().copy(
                from: Int(clamping: offset), to: UnsafeMutableRawBufferPointer(start: target, count: count))
        }
        firn_decoder_reach(handle, &source)
    }

    /// Runs a call of the C object.
    ///
    /// - Parameters:
    ///   - isLong: whether the call may take long. Default: true.
    ///   - body: may outlive this method and this object.
    /// - Returns: `FIRN_DATA` if the watch has ended this call or an earlier one; the results must not be read then.
    private func call(isLong: Bool = true, _ body: @escaping (OpaquePointer) -> firn_status) -> firn_status {
        guard !isLeft else { return FIRN_DATA }
        let run = { [object, lent] in
            lent.withUnsafeBytes { bytes in
                firn_decoder_relend(object.handle, bytes.bindMemory(to: UInt8.self).baseAddress)
                return body(object.handle)
            }
        }
        guard let watch, isLong else { return run() }
        if let status = DetachedCall.run(watch, run) { return status }
        isLeft = true
        return FIRN_DATA
    }

    func feed(_ bytes: Data, isLast: Bool) {
        guard !isLeft else { return }
        lent = bytes
        bytes.withUnsafeBytes { bytes in
            _ = firn_decoder_feed(
                object.handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, isLast)
        }
    }

    func header(page: Int?, _ take: (firn_header) -> Void) -> firn_status {
        let header = Box(firn_header())
        let status = call { handle in
            guard let page else { return firn_decoder_header(handle, &header.value) }
            return firn_decoder_page(handle, UInt32(clamping: page), &header.value)
        }
        if status == FIRN_OK { take(header.value) }
        return status
    }

    func frame(_ index: Int, _ frame: inout firn_frame) -> firn_status {
        guard !isLeft else { return FIRN_DATA }
        return firn_decoder_frame(object.handle, UInt32(clamping: index), &frame)
    }

    func start(_ options: firn_options, _ output: inout firn_output) -> firn_status {
        let begun = Box(output)
        let status = call { handle in withUnsafePointer(to: options) { firn_decoder_start(handle, $0, &begun.value) } }
        guard status == FIRN_OK else { return status }
        output = begun.value
        self.output = output
        hasRead = false
        return status
    }

    func read(_ memory: RowMemory, _ done: inout Int) -> firn_status {
        let count = Box<UInt32>(0)
        // If rows come in order, the first call decodes the image, and later ones convert its rows.
        let status = call(isLong: output.whole || !hasRead) { handle in
            firn_decoder_read(handle, memory.bytes, memory.bytesPerRow, UInt32(clamping: memory.rows), &count.value)
        }
        hasRead = true
        done = isLeft ? 0 : Int(count.value)
        return status
    }

    func preview(_ memory: RowMemory) -> firn_status {
        call { firn_decoder_preview($0, memory.bytes, memory.bytesPerRow) }
    }

    var hasFailed: Bool { isLeft || firn_decoder_message(object.handle).pointee != 0 }

    func error(_ status: firn_status) -> ImageError {
        if isLeft, let ended = watch?.ended { return ended }
        let fault = ImageError.fault(status)
        if fault == .data, let reason = object.whole?.readFailure {
            return ImageError(.data, at: .decoding, "cannot read the file: \(reason)")
        }
        return ImageError(status, String(cString: firn_decoder_message(object.handle)))
    }
}

extension RowMemory {
    /// The first byte.
    fileprivate var bytes: UnsafeMutablePointer<UInt8> { base.assumingMemoryBound(to: UInt8.self) }
}

/// The calls of `firn_decode.h`, whose order and statuses hold here, too.
///
/// One thread at a time uses a decoder.
protocol DecoderCalls: AnyObject {
    /// Gives the decoder its next bytes; a failure is reported by the next call.
    func feed(_ bytes: Data, isLast: Bool)

    /// Calls `take` with the header, or with the description of a page, if the status is `FIRN_OK`. It is valid during
    /// that call.
    func header(page: Int?, _ take: (firn_header) -> Void) -> firn_status

    func frame(_ index: Int, _ frame: inout firn_frame) -> firn_status

    func start(_ options: firn_options, _ output: inout firn_output) -> firn_status

    func read(_ memory: RowMemory, _ done: inout Int) -> firn_status

    func preview(_ memory: RowMemory) -> firn_status

    /// True if a call failed; every later one will fail, too.
    var hasFailed: Bool { get }

    /// Returns the error for the status of a failed call.
    func error(_ status: firn_status) -> ImageError
}

extension ImageError {
    /// Creates the error of a failed call with its message. The part of it that names a limit becomes ``setting``.
    init(_ status: firn_status, _ text: String) {
        let name = text.firstRange(of: " (ImageLimits.")
        self.init(
            ImageError.fault(status), at: .decoding, name.map { String(text[..<$0.lowerBound]) } ?? text,
            setting: name.map { "ImageLimits.\(text[$0.upperBound...].prefix { $0.isLetter })" })
    }

    /// Returns the kind of error for the status of a failed call.
    static func fault(_ status: firn_status) -> Fault {
        switch status {
        case FIRN_UNSUPPORTED: .unsupported
        case FIRN_LIMIT, FIRN_MEMORY: .limit
        default: .data
        }
    }
}

extension firn_limits {
    /// Converts the limits to the C interface's type.
    init(_ limits: ImageLimits) {
        self.init(
            pixels: UInt64(clamping: max(limits.maximumPixels, 0)),
            bytes: UInt64(clamping: max(limits.maximumResultBytes, 0)),
            scanned_pixels: UInt64(clamping: max(limits.maximumScannedPixels, 0)),
            frames: UInt32(clamping: limits.maximumFrames),
            profile_bytes: UInt32(clamping: limits.maximumProfileBytes),
            file_bytes: UInt64(clamping: limits.maximumBytes), expansion: UInt32(clamping: limits.maximumExpansion))
    }
}
