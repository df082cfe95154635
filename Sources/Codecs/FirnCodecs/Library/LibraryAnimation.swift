internal import CFirnCodecs
import FirnSync
package import FoundationEssentials

/// An animation, or a still as an animation of one frame, written by a C encoder.
final class LibraryAnimation: AnimationEncodingSession {
    /// Creates the encoder; `nil` after a failure.
    typealias Opening = (firn_canvas, CancellationFlag, inout firn_encoded) -> (any EncoderCalls)?

    private let source: EncodingSource
    private let size: PixelSize
    /// The profile's bytes. C reads them until the encoder is closed.
    private let icc: UnsafeMutableBufferPointer<UInt8>
    private let encoder: any EncoderCalls
    private var failure: ImageError?

    /// - Parameter repetitions: `nil` for a still.
    init(
        _ source: EncodingSource, size: PixelSize, repetitions: RepetitionCount?, isOpaque: Bool,
        colorProfile: ColorProfile?, open: Opening
    ) throws(ImageError) {
        try source.check(size)
        let profile = source.icc(colorProfile)
        var canvas = firn_canvas()
        canvas.width = UInt32(clamping: size.width)
        canvas.height = UInt32(clamping: size.height)
        canvas.still = repetitions == nil
        if case .plays(let plays) = repetitions { canvas.plays = UInt32(clamping: max(1, plays)) }
        canvas.opaque = isOpaque
        icc = .allocate(capacity: profile.count)
        _ = icc.initialize(from: profile)
        if !profile.isEmpty { (canvas.icc, canvas.icc_length) = (UnsafePointer(icc.baseAddress), icc.count) }
        var encoded = firn_encoded()
        guard let encoder = open(canvas, source.cancellation, &encoded) else {
            icc.deallocate()
            throw source.error(of: encoded)
        }
        self.source = source
        self.size = size
        self.encoder = encoder
    }

    deinit {
        encoder.close()
        icc.deallocate()
    }

    func append(_ frame: Bitmap, duration: Duration) throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            guard frame.size == size else {
                throw ImageError(
                    .image, at: .encoding, "a frame of \(frame.size) pixels in an animation of \(size)",
                    format: source.format)
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

    func finish() throws(ImageError) -> Data {
        if let failure { throw failure }
        var encoded = firn_encoded()
        let done = encoder.finish(&encoded)
        failure = ImageError(
            .image, at: .encoding, done ? "the animation is finished" : source.error(of: encoded).message,
            format: source.format)
        guard done else { throw source.error(of: encoded) }
        return try source.bytes(of: encoded)
    }
}

/// An encoder of a format whose C encoder takes frame after frame.
package protocol LibraryEncoding: AnimationEncoding {
    /// Returns the writer of a file.
    ///
    /// - Parameter isWide: whether the image has more than 8 bits per sample; false for an animation in SDR.
    func writer(isWide: Bool) -> LibraryWriter

    /// Returns a file with a gain map; the file itself (the default) if the format stores none.
    ///
    /// - Parameter size: that of the image.
    func adding(
        _ map: GainMap, to file: Data, of size: PixelSize, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data
}

extension LibraryEncoding {
    package func adding(
        _ map: GainMap, to file: Data, of size: PixelSize, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data { file }

    /// Encodes `image` as a whole file, with the gain map of the metadata if the format stores one.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long, there is no memory, or the library fails.
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let writer = writer(isWide: image.format.isWide)
        let session = try writer.animation(
            image.size, nil, image.isOpaque, image.colorProfile, cancellation, metadata)
        try session.append(image, duration: .zero)
        var file = try session.finish()
        if let map = metadata.gainMap { file = try adding(map, to: file, of: image.size, cancellation) }
        guard [.avif, .jxl].contains(format) else { return file }
        return try metadata.added(to: file, of: format, size: image.size)
    }

    /// Starts an animation of 8 bits per sample, or more for PQ and HLG values.
    package func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession {
        try writer(isWide: colorProfile?.isHighDynamicRange == true).animation(
            size, repetitions, isOpaque, colorProfile, cancellation)
    }
}

/// Writes stills and animations with a C encoder of frames, within the limits of a format.
package struct LibraryWriter {
    /// The limits of the format, without an image's cancellation flag and metadata.
    private let plain: EncodingSource
    private let open: LibraryAnimation.Opening

    /// - Parameters:
    ///   - options: the C encoder's options.
    ///   - worker: for libraries that can end their process, the codec whose workers encode if the standard isolation
    ///     includes its format and the program exists, and a closure that passes them the options. Default: none.
    ///   - open: the C function that starts an animation.
    init<Options>(
        _ format: ImageFormat, maximumSide: Int, wideFormats: [PixelFormat] = [], _ options: Options,
        worker: (codec: firn_codec, pass: (Options, inout firn_worker_canvas) -> Void)? = nil,
        _ open:
            @escaping (
                UnsafePointer<firn_canvas>?, UnsafePointer<Options>?, UnsafeMutablePointer<firn_encoded>?
            ) -> OpaquePointer?
    ) {
        plain = EncodingSource(format: format, maximumSide: maximumSide, wideFormats: wideFormats)
        self.open = { canvas, cancellation, encoded in
            if let worker, let service = DecoderService.standard(for: worker.codec) {
                var plain = firn_worker_canvas(canvas)
                worker.pass(options, &plain)
                let profile = UnsafeRawBufferPointer(start: canvas.icc, count: canvas.icc_length)
                return RemoteEncoder(service, worker.codec, plain, profile: profile, cancellation, &encoded)
            }
            var canvas = canvas
            let handle = withUnsafePointer(to: options) { open(&canvas, $0, &encoded) }
            return handle.map { LocalEncoder($0) }
        }
    }

    /// Starts a file of several frames, or a still if there are no repetitions.
    func animation(
        _ size: PixelSize, _ repetitions: RepetitionCount?, _ isOpaque: Bool, _ colorProfile: ColorProfile?,
        _ cancellation: CancellationFlag, _ metadata: EncodingMetadata = EncodingMetadata()
    ) throws(ImageError) -> LibraryAnimation {
        var source = plain
        (source.cancellation, source.metadata) = (cancellation, metadata)
        return try LibraryAnimation(
            source, size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: colorProfile, open: open)
    }
}

extension firn_worker_canvas {
    /// A canvas without its profile and without options.
    init(_ canvas: firn_canvas) {
        self.init()
        width = canvas.width
        height = canvas.height
        plays = canvas.plays
        still = canvas.still ? 1 : 0
        opaque = canvas.opaque ? 1 : 0
    }
}
