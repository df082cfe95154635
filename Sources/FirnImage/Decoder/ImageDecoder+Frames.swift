extension ImageDecoder {
    /// Number of frames, pages or images known so far.
    public var frameCount: Int { snapshot.frames.count }

    /// The frames known so far.
    public var frames: [FrameProperties] { snapshot.frames }

    /// The size of a frame as stored, before orientation, when every `subsamplingLevel`-th pixel is taken.
    ///
    /// - Returns: each side divided, rounded up; `nil` for a frame that is not known, or a level below 1.
    public func frameSize(at index: Int, subsamplingLevel: Int = 1) -> PixelSize? {
        guard subsamplingLevel >= 1 else { return nil }
        return snapshot.frame(index)?.size.divided(by: subsamplingLevel)
    }

    /// How long a frame is shown as stored; `nil` for a frame that is not known or has no duration.
    public func frameDuration(at index: Int) -> Duration? { snapshot.frame(index)?.storedDuration }

    /// How long a frame is shown by browsers: 10 ms and less become 100 ms. `nil` as for ``frameDuration(at:)``.
    /// - Source: ``FrameProperties/displayDuration``.
    public func frameDisplayDuration(at index: Int) -> Duration? { snapshot.frame(index)?.displayDuration }

    /// Whether some pixel of a frame may be transparent; yes for a frame that is not known.
    public func frameHasAlpha(at index: Int) -> Bool { snapshot.frame(index)?.hasAlpha ?? true }

    /// Whether all bytes that a frame's own pixels need have come.
    public func isFrameComplete(at index: Int) -> Bool { snapshot.frame(index)?.isComplete ?? false }

    /// Decodes a frame.
    ///
    /// With a target size the image has at least that size, and may have more pixels. To get the size exactly, resize the image to
    /// `targetSize.resolved(for: frame.displaySize)`.
    ///
    /// - Parameters:
    ///   - index: the frame wanted, counted from 0.
    ///   - options: size, pixel format, colors, and whether a frame that has not all come will do. `options.frame` is not
    ///     looked at. Default: every pixel, turned, in sRGB and in the screen's layout.
    /// - Throws: ``ImageDecodingError/Fault/request`` if the file has no such frame; ``ImageDecodingError/Fault/incomplete`` if it, or
    ///   some of its bytes, may still come; why the frame cannot be decoded; ``ImageDecodingError/Fault/cancelled`` after
    ///   ``cancelDecoding()``.
    public func frame(
        at index: Int, options: DecodingOptions = DecodingOptions()
    ) throws(ImageDecodingError) -> DecodedFrame {
        try frame(at: index, options: options, mode: .asynchronous)
    }

    /// Decodes a frame now, or when its pixels are first asked for: then only an unknown frame and the failure that stays are
    /// thrown here.
    package func frame(
        at index: Int, options: DecodingOptions = DecodingOptions(), mode: DecodingMode
    ) throws(ImageDecodingError) -> DecodedFrame {
        var options = options
        options.frame = index
        guard mode == .asynchronous else {
            let known = snapshot
            if let error = known.error { throw error }
            let frame = try frame(index, in: known)
            let asked = options
            return DecodedFrame(
                index: index, properties: frame, displaySize: known.displaySize(of: frame, for: options),
                pixels: FramePixels { () throws(ImageDecodingError) in try self.decoded(asked).0 })
        }
        let (image, frame, known) = try decoded(options)
        return DecodedFrame(
            index: index, properties: frame, displaySize: known.displaySize(of: frame, for: options),
            pixels: FramePixels(image))
    }

    /// The first frame as far as the bytes so far tell; what has not come is transparent. Without its last
    /// rows an image asked for as `rgb8` comes as `bgra8Premultiplied`.
    ///
    /// - Returns: `nil` if there is nothing to show that an earlier preview with the same options did not show, or
    ///   nothing is known yet.
    /// - Throws: the failure that stays; ``ImageDecodingError/Fault/cancelled`` after ``cancelDecoding()``.
    public func preview(_ options: DecodingOptions = DecodingOptions()) throws(ImageDecodingError) -> Bitmap? {
        do throws(ImageDecodingError) {
            return try withSession { session, _ throws(ImageDecodingError) in try session.preview(options) }
        } catch {
            if error.fault == .incomplete { return nil }
            throw error
        }
    }

    /// Computes ahead what the bytes so far allow, so that a later ``frame(at:options:)`` has less to do.
    ///
    /// - Returns: whether that frame needs no further bytes.
    /// - Throws: as ``preview(_:)``.
    @discardableResult
    public func advance(_ options: DecodingOptions = DecodingOptions()) throws(ImageDecodingError) -> Bool {
        do throws(ImageDecodingError) {
            return try withSession { session, _ throws(ImageDecodingError) in try session.advance(options) }
        } catch {
            if error.fault == .incomplete { return false }
            throw error
        }
    }

    /// Estimates the most memory that decoding with these options holds at once, in bytes; 0 before the size is known.
    public func workingBytes(for options: DecodingOptions) throws(ImageDecodingError) -> Int {
        do throws(ImageDecodingError) {
            return try withSession { session, _ throws(ImageDecodingError) in session.workingBytes(for: options) }
        } catch {
            if error.fault == .incomplete { return 0 }
            throw error
        }
    }

    private func decoded(
        _ options: DecodingOptions
    ) throws(ImageDecodingError) -> (Bitmap, FrameProperties, DecoderSnapshot) {
        try withSession { session, known throws(ImageDecodingError) in
            let frame = try frame(options.frame, in: known)
            return (try session.decode(options), frame, known)
        }
    }

    private func frame(_ index: Int, in known: DecoderSnapshot) throws(ImageDecodingError) -> FrameProperties {
        if let frame = known.frame(index) { return frame }
        guard index >= 0, known.status != .complete else {
            throw ImageDecodingError(
                .request, "there is no frame \(index); the file has \(known.frames.count)", format: known.format)
        }
        throw ImageDecodingError(.incomplete, "frame \(index) has not come yet", format: known.format)
    }
}
