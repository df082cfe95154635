internal import CFirnCodecs
internal import FirnSync
internal import FoundationEssentials

/// An animation, or a still as an animation of one frame, written by a C encoder.
final class LibraryAnimation: AnimationEncodingSession {
    /// Creates the encoder; `nil` after a failure.
    typealias Opening = (firn_canvas, CancellationFlag, inout firn_encoded) -> (any EncoderCalls)?

    private let source: EncodingSource
    private let size: PixelSize
    /// The profile's bytes, allocated with malloc. C reads them until the encoder is closed.
    private let icc: UnsafeMutableRawBufferPointer?
    private let encoder: any EncoderCalls
    private var failure: ImageEncodingError?

    /// - Parameter repetitions: `nil` for a still.
    init(
        _ source: EncodingSource, size: PixelSize, repetitions: RepetitionCount?, isOpaque: Bool,
        colorProfile: ColorProfile?, open: Opening
    ) throws(ImageEncodingError) {
        try source.check(size)
        let profile = source.icc(colorProfile)
        var canvas = firn_canvas()
        canvas.width = UInt32(clamping: size.width)
        canvas.height = UInt32(clamping: size.height)
        canvas.still = repetitions == nil
        if case .plays(let plays) = repetitions { canvas.plays = UInt32(clamping: max(1, plays)) }
        canvas.opaque = isOpaque
        var kept: UnsafeMutableRawBufferPointer?
        if !profile.isEmpty {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: profile.count, alignment: 1)
            profile.withUnsafeBytes { bytes.copyMemory(from: $0) }
            canvas.icc = UnsafePointer(bytes.bindMemory(to: UInt8.self).baseAddress)
            canvas.icc_length = bytes.count
            kept = bytes
        }
        var encoded = firn_encoded()
        guard let encoder = open(canvas, source.cancellation, &encoded) else {
            kept?.deallocate()
            throw source.error(of: encoded)
        }
        self.source = source
        self.size = size
        self.encoder = encoder
        icc = kept
    }

    deinit {
        encoder.close()
        icc?.deallocate()
    }

    func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError) {
        if let failure { throw failure }
        do throws(ImageEncodingError) {
            guard frame.size == size else {
                throw ImageEncodingError(
                    format: source.format, message: "a frame of \(frame.size) pixels in an animation of \(size)")
            }
            let milliseconds = UInt32(
                saturating: min(max(0, (duration / .milliseconds(1)).rounded()), Double(UInt32.max)))
            try source.add(frame) { image, encoded in
                encoder.add(image, milliseconds: milliseconds, &encoded)
            }
        } catch {
            failure = error
            throw error
        }
    }

    func finish() throws(ImageEncodingError) -> Data {
        if let failure { throw failure }
        var encoded = firn_encoded()
        let done = encoder.finish(&encoded)
        failure = ImageEncodingError(
            format: source.format, message: done ? "the animation is finished" : source.error(of: encoded).message)
        return try source.bytes(of: encoded, done: done)
    }
}
