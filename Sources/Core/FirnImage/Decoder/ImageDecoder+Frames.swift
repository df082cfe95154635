extension ImageDecoder {
    /// The number of frames, pages or images known so far.
    public var frameCount: Int { snapshot.frames.count }

    /// The frames known so far.
    public var frames: [FrameProperties] { snapshot.frames }

    /// Returns the properties of a frame. A page of a document or an image of a multi-image file has its own size,
    /// orientation, depth, color profile, resolution and metadata; frames of an animation share those of the file.
    ///
    /// Computes on the calling thread and discards an incomplete decode.
    ///
    /// - Returns: `nil` if the frame is not known.
    /// - Throws: the error of the page, or the permanent failure.
    public func properties(ofFrame index: Int) throws(ImageError) -> ImageProperties? {
        try withSession(orIncomplete: nil) { session throws(ImageError) in
            try session.properties(ofFrame: index)
        }
    }

    /// Returns the stored size of a frame, before orientation, divided by `subsamplingLevel`.
    ///
    /// - Returns: each side rounded up; `nil` if the frame is unknown or the level is below 1.
    public func frameSize(at index: Int, subsamplingLevel: Int = 1) -> PixelSize? {
        guard subsamplingLevel >= 1 else { return nil }
        return snapshot.frame(index)?.size.divided(by: subsamplingLevel)
    }

    /// Returns the stored duration of a frame; `nil` if the frame is unknown or has no duration.
    public func frameDuration(at index: Int) -> Duration? { snapshot.frame(index)?.duration }

    /// Returns the duration for which browsers show a frame: 10 ms and less become 100 ms. `nil` as for
    /// ``frameDuration(at:)``.
    ///
    /// - Source: ``FrameProperties/displayDuration``.
    public func frameDisplayDuration(at index: Int) -> Duration? { snapshot.frame(index)?.displayDuration }

    /// Returns whether some pixel of a frame may be transparent; true if the frame is unknown.
    public func frameHasAlpha(at index: Int) -> Bool { snapshot.frame(index)?.hasAlpha ?? true }

    /// Returns whether all bytes of a frame's own pixels have arrived.
    public func isFrameComplete(at index: Int) -> Bool { snapshot.frame(index)?.isComplete ?? false }

    /// Decodes a frame, now or when its pixels are first accessed.
    ///
    /// With a target size, the image has at least that size, and may have more pixels. For the exact size, resize the
    /// image to `targetSize.resolved(for: properties)`, or to the size resolved for the region.
    ///
    /// A lazy frame is decoded by the first call of ``DecodedFrame/image()``, on the thread that calls it, for frames
    /// that may never be drawn. It keeps the decoder and its bytes until then, and uses bytes that arrive until then.
    ///
    /// - Parameters:
    ///   - index: the index of the frame, from 0.
    ///   - options: region, size, pixel format, colors, and whether to return an incomplete frame. `options.frame` is
    ///     ignored. Default: all pixels, upright, in sRGB, in the layout of displays.
    ///   - isLazy: whether the pixels are decoded when they are first accessed. Default: no; they are decoded before
    ///     this call returns, on the calling thread.
    /// - Throws: ``ImageError/Fault/request`` if the file has no such frame, or the region lies outside the
    ///   frame; ``ImageError/Fault/incomplete`` if bytes of the frame may still arrive;
    ///   ``ImageError/Fault/cancelled`` after ``cancelDecoding()``; other faults if the frame cannot be
    ///   decoded. For a lazy frame, this method throws only for an unknown frame and the file's permanent failure;
    ///   ``DecodedFrame/image()`` throws the other errors.
    public func frame(
        at index: Int, options: DecodingOptions = DecodingOptions(), isLazy: Bool = false
    ) throws(ImageError) -> DecodedFrame {
        var options = options
        options.frame = index
        guard !isLazy else {
            let known = snapshot
            if let error = known.error { throw error }
            let frame = try frame(index, in: known)
            let asked = options
            return DecodedFrame(
                frame, of: known, options, FramePixels { () throws(ImageError) in try self.decoded(asked).0 })
        }
        let (decoded, frame, known) = try decoded(options)
        return DecodedFrame(frame, of: known, options, FramePixels(decoded))
    }

    /// Returns the first frame as far as it can be decoded. Missing pixels are transparent; if the last rows are
    /// missing, an image requested as `rgb8` is returned as `bgra8Premultiplied`.
    ///
    /// - Returns: `nil` if nothing is new since the last preview with the same options, or nothing is known yet.
    /// - Throws: the permanent failure; ``ImageError/Fault/cancelled`` after ``cancelDecoding()``.
    public func preview(_ options: DecodingOptions = DecodingOptions()) throws(ImageError) -> Bitmap? {
        try withSession(orIncomplete: nil) { session throws(ImageError) in try session.preview(options) }
    }

    /// Decodes the bytes that have arrived, so that a later ``frame(at:options:isLazy:)`` has less work.
    ///
    /// - Returns: whether that frame needs no further bytes.
    /// - Throws: the same errors as ``preview(_:)``.
    @discardableResult
    public func advance(_ options: DecodingOptions = DecodingOptions()) throws(ImageError) -> Bool {
        try withSession(orIncomplete: false) { session throws(ImageError) in try session.advance(options) }
    }

    /// Decodes the gain map of the first frame, upright like the displayed image. Computes on the calling thread.
    ///
    /// Supported are the maps of Ultra HDR, ISO 21496-1 and Apple in JPEG, AVIF, HEIC and JPEG XL files.
    ///
    /// - Returns: `nil` if the file has none that is supported, or not all bytes have arrived.
    /// - Throws: ``ImageError`` if the map's pixels are damaged; the permanent failure. Frames can still be decoded.
    public func gainMap() throws(ImageError) -> GainMap? {
        try withSession(orIncomplete: nil) { session throws(ImageError) in try session.gainMap() }
    }

    /// Estimates the peak memory in bytes of a decode with these options; 0 before the size is known.
    public func workingBytes(for options: DecodingOptions) throws(ImageError) -> Int {
        try withSession(orIncomplete: 0) { session throws(ImageError) in session.workingBytes(for: options) }
    }

    /// Returns the result of `body`; `fallback` if more bytes are needed.
    private func withSession<Result>(
        orIncomplete fallback: Result,
        _ body: (any ImageDecodingSession) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        do throws(ImageError) {
            return try withSession { session, _ throws(ImageError) in try body(session) }
        } catch {
            if error.fault == .incomplete { return fallback }
            throw error
        }
    }

    private func decoded(
        _ options: DecodingOptions
    ) throws(ImageError) -> (FramePixels.Decoded, FrameProperties, DecoderSnapshot) {
        try withSession { session, known throws(ImageError) in
            let frame = try frame(options.frame, in: known)
            let image = try session.decode(options)
            return ((image, session.damage), frame, known)
        }
    }

    private func frame(_ index: Int, in known: DecoderSnapshot) throws(ImageError) -> FrameProperties {
        if let frame = known.frame(index) { return frame }
        guard index >= 0, known.status != .complete else {
            throw ImageError(
                .request, at: .decoding, "there is no frame \(index); the file has \(known.frames.count)",
                format: known.format)
        }
        throw ImageError(.incomplete, at: .decoding, "frame \(index) has not come yet", format: known.format)
    }
}
