public import FoundationEssentials

/// Encodes animations frame by frame, so that they need not be in memory as a whole.
public protocol AnimationEncoding: ImageEncoding {
    /// Starts a file of frames of `size`.
    ///
    /// - Parameters:
    ///   - repetitions: the number of plays; ignored by formats that cannot store it.
    ///   - isOpaque: whether no frame has transparent pixels. If unknown, `false`: some formats then store alpha.
    ///   - colorProfile: the color space of all frames; `nil` for sRGB.
    ///   - cancellation: checked with every frame, and more often if the library permits.
    /// - Throws: ``ImageEncodingError`` if the format does not support the size or is not in this build.
    func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> any AnimationEncodingSession
}

extension AnimationEncoding {
    /// Starts a file of frames of `size` in sRGB that may be transparent. Default: played forever.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount = .forever
    ) throws(ImageEncodingError) -> any AnimationEncodingSession {
        try makeAnimation(
            size: size, repetitions: repetitions, isOpaque: false, colorProfile: nil, cancellation: CancellationFlag())
    }

    /// Encodes frames of an animation, one after the other, so that only one is in memory. Leaves out damaged frames
    /// behind the first one.
    ///
    /// - Parameters:
    ///   - decoder: has the whole file.
    ///   - decode: returns a frame.
    ///   - process: changes a frame. All frames get the same size.
    /// - Returns: the file, its size, and the number of its frames.
    /// - Throws: ``ImageEncodingError`` if there is no frame; the errors of the closures.
    package func encode(
        _ frames: Range<Int>, of decoder: ImageDecoder, cancellation: CancellationFlag = CancellationFlag(),
        decode: (Int) throws -> Bitmap, process: (Bitmap) throws -> Bitmap
    ) throws -> (data: Data, size: PixelSize, frames: Int) {
        var session: (any AnimationEncodingSession)?
        var size = PixelSize(width: 0, height: 0)
        var count = 0
        for index in frames {
            let frame: Bitmap
            do {
                frame = try decode(index)
            } catch let error as ImageDecodingError where session != nil && error.fault == .data {
                continue
            }
            let image = try process(frame)
            if session == nil {
                size = image.size
                session = try makeAnimation(
                    size: size, repetitions: decoder.repetitionCount ?? .once,
                    isOpaque: image.isOpaque && decoder.properties?.hasAlpha == false,
                    colorProfile: image.colorProfile, cancellation: cancellation)
            }
            try session?.append(image, duration: decoder.frameDuration(at: index) ?? .milliseconds(100))
            count += 1
        }
        guard let session else { throw ImageEncodingError(format: format, message: "the animation has no frames") }
        return (try session.finish(), size, count)
    }
}

/// Encodes one animation, on one thread at a time.
///
/// Order of calls: `append+ finish`. After an error, every later call throws it again.
public protocol AnimationEncodingSession: AnyObject {
    /// Adds the next frame as a whole image.
    ///
    /// - Parameters:
    ///   - frame: an image of the animation's size. Not retained after the call.
    ///   - duration: the duration in whole milliseconds; negative values count as 0. GIF rounds to hundredths of a
    ///     second and adds the remainder to the next frame.
    /// - Throws: ``ImageEncodingError``.
    func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError)

    /// Ends the animation.
    ///
    /// - Returns: the whole file.
    /// - Throws: ``ImageEncodingError`` if there is no frame, or the library fails.
    func finish() throws(ImageEncodingError) -> Data
}
