import CFirnCodecs
import FirnImage

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
/// Safety: owns its C object, which one thread at a time uses.
final class LocalHEVCStream: HEVCStream {
    private let handle: OpaquePointer

    /// - Throws: ``ImageDecodingError/Fault/limit`` if the system has no memory, or the decoder is left out of this
    ///   build.
    init() throws(ImageDecodingError) {
        guard let handle = firn_hevc_open() else { throw ImageDecodingError(.limit, "no memory for a decoder") }
        self.handle = handle
    }

    deinit { firn_hevc_close(handle) }

    func push(_ unit: [UInt8], sample: Int) throws(ImageDecodingError) {
        let status = unit.withUnsafeBufferPointer { firn_hevc_push(handle, $0.baseAddress, $0.count, Int64(sample)) }
        guard status == FIRN_OK else { throw error(status) }
    }

    func end() { firn_hevc_end(handle) }

    func step(toward sample: Int) throws(ImageDecodingError) -> RowProgress.State {
        switch firn_hevc_step(handle) {
        case FIRN_OK: .more
        case FIRN_NEED_DATA: .needsBytes
        case FIRN_END: .end
        case let status: throw error(status)
        }
    }

    func image() -> (sample: Int, planes: firn_planes)? {
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(handle, &planes, &number) ? (Int(clamping: number), planes) : nil
    }

    func drop() { firn_hevc_drop(handle) }

    private func error(_ status: firn_status) -> ImageDecodingError {
        ImageDecodingError(ImageDecodingError.fault(status), String(cString: firn_hevc_message(handle)))
    }
}
