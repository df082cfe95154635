import CFirnCodecs

/// A decoder of the units of one HEVC track: the calls of `firn_hevc.h`.
///
/// A decoder that failed stays failed. One thread at a time uses it.
protocol HEVCStream: AnyObject {
    /// Feeds one unit of a sample.
    func push(_ unit: [UInt8], sample: Int) throws(ImageDecodingError)

    /// Says that no units follow.
    func end()

    /// Does a bounded amount of work. The planes of an image are available only if it is the image of `sample`.
    ///
    /// - Returns: `more` also if an image is ready; `end` if the stream and its images have ended.
    func step(toward sample: Int) throws(ImageDecodingError) -> RowProgress.State

    /// Returns the next image in presentation order, whose planes are valid until ``drop()``; `nil` if none is ready.
    func image() -> (sample: Int, planes: firn_planes)?

    /// Releases that image.
    func drop()
}

/// A decoder in this process.
///
/// A unit is decoded on another thread (``DetachedCall``), since libde265 cannot be interrupted. Once the watch has
/// ended a call, that thread alone uses the C object.
final class LocalHEVCStream: HEVCStream {
    // Safety: one thread at a time uses the C object. The caller waits for the other thread, or gives the object up.
    private final class Object: @unchecked Sendable {
        let handle: OpaquePointer
        init(_ handle: OpaquePointer) { self.handle = handle }
        deinit { firn_hevc_close(handle) }
    }

    private let watch: DecodingWatch
    /// `nil` once the watch has ended a call.
    private var object: Object?

    /// - Throws: ``ImageDecodingError/Fault/limit`` if the system has no memory, or the decoder is left out of this
    ///   build.
    init(_ watch: DecodingWatch) throws(ImageDecodingError) {
        guard let handle = firn_hevc_open() else { throw ImageDecodingError(.limit, "no memory for a decoder") }
        self.watch = watch
        object = Object(handle)
    }

    func push(_ unit: [UInt8], sample: Int) throws(ImageDecodingError) {
        guard let object else { throw watch.ended ?? .late }
        let status = unit.withUnsafeBufferPointer {
            firn_hevc_push(object.handle, $0.baseAddress, $0.count, Int64(sample))
        }
        guard status == FIRN_OK else { throw error(status, object) }
    }

    func end() {
        if let object { firn_hevc_end(object.handle) }
    }

    func step(toward sample: Int) throws(ImageDecodingError) -> RowProgress.State {
        guard let object, let status = DetachedCall.run(watch, { firn_hevc_step(object.handle) }) else {
            object = nil
            throw watch.ended ?? .late
        }
        return switch status {
        case FIRN_OK: .more
        case FIRN_NEED_DATA: .needsBytes
        case FIRN_END: .end
        default: throw error(status, object)
        }
    }

    func image() -> (sample: Int, planes: firn_planes)? {
        guard let object else { return nil }
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(object.handle, &planes, &number) ? (Int(clamping: number), planes) : nil
    }

    func drop() {
        if let object { firn_hevc_drop(object.handle) }
    }

    private func error(_ status: firn_status, _ object: Object) -> ImageDecodingError {
        ImageDecodingError(ImageDecodingError.fault(status), String(cString: firn_hevc_message(object.handle)))
    }
}

extension DecoderHost {
    /// Creates a decoder of an HEVC track of a complete file.
    func open(
        _ parameters: HEVCParameters, _ limits: ImageLimits, _ file: ByteChain
    ) throws(ImageDecodingError) -> any HEVCStream {
        guard let workers = try workers(of: FIRN_CODEC_HEIC, limits) else { return try LocalHEVCStream(watch) }
        return try RemoteHEVCStream(workers, parameters, file)
    }
}
