import CFirnCodecs
import FirnSystem

/// An encoder in a worker, for libraries that can end their process: only one file fails then.
///
/// All replies are checked.
final class RemoteEncoder: EncoderCalls {
    private let worker: WorkerConnection
    private let watch: DecodingWatch
    /// The bytes of pixels and metadata so far, which bound the file.
    private var fed = 0

    /// Starts an encoder.
    ///
    /// - Parameters:
    ///   - codec: AVIF or JPEG XL.
    ///   - plain: the canvas and the options of the codec.
    ///   - profile: the canvas's color profile.
    /// - Returns: `nil` after a failure, which `encoded` describes.
    init?(
        _ service: DecoderService, _ codec: firn_codec, _ plain: firn_worker_canvas, profile: UnsafeRawBufferPointer,
        _ cancellation: CancellationFlag, _ encoded: inout firn_encoded
    ) {
        watch = DecodingWatch(cancellation)
        do throws(ImageError) {
            worker = try service.worker(WorkerPolicy(encoding: codec), watch)
        } catch {
            encoded.fail(error.fault == .cancelled ? FIRN_ENCODE_CANCELLED : FIRN_ENCODE_LIBRARY, error.message)
            return nil
        }
        var request = firn_worker_request(FIRN_CALL_CANVAS)
        request.codec = codec.rawValue
        var descriptors: [Int32] = []
        request.share(worker.arena, &descriptors)
        var memory: SharedMemory?
        if !profile.isEmpty {
            guard let copy = SharedMemory(profile) else {
                encoded.fail(FIRN_ENCODE_LIMIT, RemoteEncoder.noMemory)
                return nil
            }
            request.add(FIRN_REQUEST_HAS_INPUT)
            request.input = UInt64(clamping: copy.length)
            descriptors.append(copy.descriptor)
            memory = copy
        }
        withUnsafeBytes(of: plain) { worker.fillInbox($0) }
        fed += profile.count
        let reply = withExtendedLifetime(memory) { call(request, descriptors, &encoded) }
        worker.arena.closeDescriptor()
        guard reply != nil else { return nil }
    }

    private static let noMemory = "there is no memory to share the image with firn-decoder"

    func add(_ image: firn_image, milliseconds: UInt32, _ encoded: inout firn_encoded) -> Bool {
        let format = PixelFormat.allCases.first { EncodingSource.layout($0) == image.layout }
        let stride = Int(image.width) * (format?.bytesPerPixel ?? 4)
        let rows = stride * Int(image.height)
        guard let memory = SharedMemory(length: rows + image.icc_length + image.exif_length) else {
            return encoded.fail(FIRN_ENCODE_LIMIT, RemoteEncoder.noMemory)
        }
        for row in 0..<Int(image.height) {
            (memory.base + row * stride).copyMemory(from: image.pixels + row * image.stride, byteCount: stride)
        }
        if let icc = image.icc { (memory.base + rows).copyMemory(from: icc, byteCount: image.icc_length) }
        if let exif = image.exif {
            (memory.base + rows + image.icc_length).copyMemory(from: exif, byteCount: image.exif_length)
        }
        fed += memory.length
        let plain = firn_worker_image(
            width: image.width, height: image.height, layout: image.layout.rawValue, opaque: image.opaque ? 1 : 0,
            milliseconds: milliseconds, primaries: image.primaries, transfer: image.transfer,
            mastering: image.mastering,
            stride: UInt64(clamping: stride), icc_length: UInt64(clamping: image.icc == nil ? 0 : image.icc_length),
            exif_length: UInt64(clamping: image.exif == nil ? 0 : image.exif_length))
        withUnsafeBytes(of: plain) { worker.fillInbox($0) }
        var request = firn_worker_request(FIRN_CALL_ADD)
        request.surface = UInt64(clamping: memory.length)
        var descriptors: [Int32] = []
        request.share(memory, &descriptors)
        return call(request, descriptors, &encoded) != nil
    }

    func finish(_ encoded: inout firn_encoded) -> Bool {
        guard let reply = call(firn_worker_request(FIRN_CALL_FINISH), [], &encoded) else { return false }
        // No file is much larger than its pixels; a worker that reports such a length is broken.
        guard let length = Int(exactly: reply.stride), length > 0, length / 4 <= fed + (16 << 20),
            let file = malloc(length)
        else { return fail(.nonsense, &encoded) }
        var room = UnsafeMutableRawBufferPointer(start: file, count: length)
        do throws(WorkerEnd) {
            try worker.take(length, reply, FIRN_CALL_TAKE, watch) {
                room.copyMemory(from: $0)
                room = UnsafeMutableRawBufferPointer(rebasing: room[$0.count...])
            }
        } catch {
            free(file)
            return fail(error, &encoded)
        }
        encoded.bytes = file.assumingMemoryBound(to: UInt8.self)
        encoded.length = length
        return true
    }

    func close() { if worker.end == nil { worker.closeImage() } }

    /// Makes a call; `nil` after a failure, which `encoded` describes.
    private func call(
        _ request: firn_worker_request, _ descriptors: [Int32], _ encoded: inout firn_encoded
    ) -> firn_worker_reply? {
        do throws(WorkerEnd) {
            let reply = try worker.call(request, descriptors, watch)
            guard reply.status != 0 else { return reply }
            encoded.fail(firn_encode_fault(rawValue: UInt32(bitPattern: reply.read_status)), reply.text)
        } catch {
            _ = fail(error, &encoded)
        }
        return nil
    }

    /// Describes the end of the worker.
    private func fail(_ end: WorkerEnd, _ encoded: inout firn_encoded) -> Bool {
        let end = worker.ended(end)
        switch end {
        case .cancelled: return encoded.fail(FIRN_ENCODE_CANCELLED, "encoding was cancelled")
        case .starved: return encoded.fail(FIRN_ENCODE_LIMIT, "there is no memory")
        default:
            let fault = end == .signal(SIGKILL) ? FIRN_ENCODE_LIMIT : FIRN_ENCODE_LIBRARY
            return encoded.fail(fault, end.error.message.replacing("the decoder", with: "the encoder"))
        }
    }
}

extension firn_encoded {
    /// Sets a failure. Returns false.
    @discardableResult
    mutating func fail(_ fault: firn_encode_fault, _ text: String) -> Bool {
        self.fault = fault
        withUnsafeMutableBytes(of: &message) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.copyBytes(from: text.utf8.prefix(bytes.count - 1))
        }
        return false
    }
}

/// An animation of `firn_encode.h` that is being written.
///
/// One thread at a time uses it.
protocol EncoderCalls: AnyObject {
    func add(_ image: firn_image, milliseconds: UInt32, _ encoded: inout firn_encoded) -> Bool

    func finish(_ encoded: inout firn_encoded) -> Bool

    /// Ends the use of the canvas's profile. Call it once, last.
    func close()
}

/// A C encoder in this process.
final class LocalEncoder: EncoderCalls {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    func add(_ image: firn_image, milliseconds: UInt32, _ encoded: inout firn_encoded) -> Bool {
        var image = image
        return firn_animation_add(handle, &image, milliseconds, &encoded)
    }

    func finish(_ encoded: inout firn_encoded) -> Bool { firn_animation_finish(handle, &encoded) }

    func close() { firn_animation_close(handle) }
}
