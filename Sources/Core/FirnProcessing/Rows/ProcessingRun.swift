/// One processor's work on one image: allocates the result, splits rows into stripes, creates errors.
package struct ProcessingRun {
    /// The processor's name, for errors.
    let name: String
    let context: ImageProcessingContext
    /// The displayed size of the image, or of its region, in the file; `nil` if unknown. The decoder may have returned
    /// fewer pixels.
    var originalSize: PixelSize?

    /// - Throws: ``/FirnImage/ImageError/Fault/cancelled`` if the run was cancelled.
    func check() throws {
        if context.cancellation.isCancelled { throw ImageError(CancellationError(), at: .processing) }
    }

    /// Returns an error about a parameter.
    func wrong(_ message: String) -> ImageError { ImageError(.request, at: .processing, "\(name): \(message)") }

    /// Returns an error about a limit.
    ///
    /// - Parameter property: the property of ``/FirnImage/ImageLimits`` that sets it.
    func beyond(_ message: String, _ property: String) -> ImageError {
        ImageError(.limit, at: .processing, "\(name): \(message)", setting: "ImageLimits.\(property)")
    }

    /// Throws if a parameter is not a number in `range`.
    func require(_ value: Double, _ range: ClosedRange<Double>, _ what: String) throws {
        guard range.contains(value) else {
            throw wrong(
                "\(what) has to be a number from \(plain(range.lowerBound)) to \(plain(range.upperBound)), "
                    + "not \(plain(value))"
            )
        }
    }

    /// Throws if an image of `size` exceeds the limits.
    func admit(_ size: PixelSize, _ format: PixelFormat) throws {
        guard !size.isEmpty else { throw wrong("the result would have \(size) pixels") }
        guard size.area <= context.limits.maximumPixels else {
            throw beyond(
                "a result of \(size) pixels is more than the \(context.limits.maximumPixels) allowed", "maximumPixels")
        }
        let row = try Bitmap.bytesPerRow(width: size.width, format: format)
        let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= context.limits.maximumResultBytes else {
            throw beyond(
                "a result of \(size) pixels is more than the \(context.limits.maximumResultBytes) bytes allowed",
                "maximumResultBytes")
        }
    }

    /// Runs `body` for `count` rows or columns in stripes. Each row costs about as much as `pixels` pixels.
    ///
    /// A stripe takes between tens of microseconds and a millisecond; a cancellation takes effect at the next stripe.
    func stripes(_ count: Int, pixels: Int, multiple: Int = 1, _ body: @Sendable (Range<Int>) -> Void) throws {
        try check()
        let wanted = max(1, 65_536 / max(1, pixels))
        let grain = (wanted + multiple - 1) / multiple * multiple
        let number = (count + grain - 1) / grain
        let flag = context.cancellation
        if number <= 1 {
            if count > 0 { body(0..<count) }
        } else {
            context.stripes.perform(number) { index in
                if flag.isCancelled { return }
                body(index * grain..<min(count, (index + 1) * grain))
            }
        }
        try check()
    }

    /// Returns a new image in the color space of `source`.
    ///
    /// - Parameter body: writes every pixel.
    func make(
        from source: Bitmap, size: PixelSize, format: PixelFormat, isOpaque: Bool,
        _ body: (SourceRows, TargetRows) throws -> Void
    ) throws -> Bitmap {
        try check()
        try admit(size, format)
        return try source.withRows { rows in
            try Bitmap(size: size, format: format, isOpaque: isOpaque, colorProfile: source.colorProfile) { pixels in
                try body(rows, TargetRows(pixels))
            }
        }
    }

    /// Returns a new image of the size, format and color space of `source`, with alpha if `source` has it.
    func make(like source: Bitmap, _ body: (SourceRows, TargetRows) throws -> Void) throws -> Bitmap {
        try make(from: source, size: source.size, format: source.format, isOpaque: source.isOpaque, body)
    }

    private func plain(_ value: Double) -> String { ProcessorName.number(value) }
}

/// A Firn processor, from bitmap to bitmap, within a run. The public function that creates it documents its parameters.
package protocol ImageProcessor: ImageProcessing {
    /// Returns the changed image.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a parameter is out of range, the result would be empty, the result or the
    ///   working memory exceeds a limit, there is no memory, or the run was cancelled.
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap

    /// True if the processor draws or changes colors of sRGB, and so refuses PQ and HLG values. Default: false.
    var usesSRGB: Bool { get }

    /// Returns the gain map of the changed image; `nil` (the default) to remove it.
    ///
    /// - Parameter image: the image before the change.
    func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap?
}

extension ImageProcessor {
    package var usesSRGB: Bool { false }

    package func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap? { nil }

    /// Starts a run and returns the container with the changed image.
    package func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        let run = ProcessingRun(
            name: ProcessorName.short(identifier), context: context,
            // A vector image's original size is rounded; the size of its pixels is exact.
            originalSize: container.vectorSize == nil ? container.area?.size ?? container.originalSize : nil)
        try run.check()
        if usesSRGB, let range = container.image.light.dynamicRange {
            throw run.wrong(
                "works on SDR colors, but the image has \(range.uppercased()) values; decode it without preservesHDR")
        }
        var container = container
        container.gainMap = try container.gainMap.flatMap { try processed($0, of: container.image, run) }
        container.image = try processed(container.image, run)
        return container
    }
}
