public import FoundationEssentials

/// Writes animations, one frame after the other, so that nobody has to hold all of them.
public protocol AnimationEncoding: ImageEncoding {
    /// Starts a file of frames of `size`.
    ///
    /// - Parameters:
    ///   - repetitions: how often the animation is played; formats that cannot say so leave it out.
    ///   - isOpaque: whether no frame has transparent pixels. Where that is not known, `false`: some formats then keep an
    ///     alpha that says nothing.
    ///   - colorProfile: what the colors of all frames mean; `nil` for sRGB.
    ///   - cancellation: looked at with every frame, and in between where the library lets it be.
    /// - Throws: ``ImageEncodingError`` if the format has no such size or cannot be written here.
    func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> any AnimationEncodingSession
}

extension AnimationEncoding {
    /// Starts a file of frames of `size` in sRGB that may be transparent, played without end.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount = .forever
    ) throws(ImageEncodingError) -> any AnimationEncodingSession {
        try makeAnimation(
            size: size, repetitions: repetitions, isOpaque: false, colorProfile: nil, cancellation: CancellationFlag())
    }
}

/// The writing of one animation. Used by one thread at a time.
///
/// Grammar of use: `append+ finish`. After an error every later call throws that error again.
public protocol AnimationEncodingSession: AnyObject {
    /// Adds the next frame, as it is seen as a whole.
    ///
    /// - Parameters:
    ///   - frame: of the animation's size. Not kept beyond the call, but by GIF's encoder in a form of its own.
    ///   - milliseconds: how long it is shown; what is negative counts as 0. GIF rounds to hundredths of a second and
    ///     carries the rest over to the next frame.
    /// - Throws: ``ImageEncodingError``.
    func append(_ frame: Bitmap, milliseconds: Int) throws(ImageEncodingError)

    /// Ends the animation.
    ///
    /// - Returns: the whole file.
    /// - Throws: ``ImageEncodingError`` if there is no frame, or the library fails.
    func finish() throws(ImageEncodingError) -> Data
}
