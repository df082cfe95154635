internal import FirnImage

/// One processor at work on one image: makes the result's buffer, hands out rows in stripes, complains.
struct ProcessingRun {
    /// The processor's name, for errors.
    let name: String
    let context: ImageProcessingContext
    /// The size of the image in its file, as displayed, where that is known; decoders may have handed over fewer pixels.
    var originalSize: PixelSize?

    /// - Throws: `CancellationError` if nobody waits any more.
    func check() throws {
        if context.cancellation.isCancelled { throw CancellationError() }
    }

    /// An error about a parameter.
    func wrong(_ message: String) -> ImageProcessingError { ImageProcessingError(.parameter, in: name, message) }

    /// Checks that a parameter is a number from `range`.
    func require(_ value: Double, _ range: ClosedRange<Double>, _ what: String) throws {
        guard range.contains(value) else {
            throw wrong(
                "\(what) has to be a number from \(plain(range.lowerBound)) to \(plain(range.upperBound)), not \(plain(value))"
            )
        }
    }

    /// Checks that an image of `size` may be made.
    func admit(_ size: PixelSize, _ format: PixelFormat) throws {
        guard !size.isEmpty else { throw wrong("the result would have \(size) pixels") }
        guard size.area <= context.limits.maximumPixels else {
            throw ImageProcessingError(
                .limit, in: name, "a result of \(size) pixels is beyond the limit of \(context.limits.maximumPixels)")
        }
        let row = try Bitmap.bytesPerRow(width: size.width, format: format)
        let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= context.limits.maximumBytes else {
            throw ImageProcessingError(
                .limit, in: name,
                "a result of \(size) pixels is beyond the limit of \(context.limits.maximumBytes) bytes")
        }
    }

    /// Does `count` rows, or columns, that cost about as much as `pixels` pixels each, in stripes.
    ///
    /// A stripe takes from some tens of microseconds to a millisecond: so soon is a cancel noticed.
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

    /// Makes an image of `source`, whose color space it keeps.
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
                try body(
                    rows,
                    TargetRows(base: pixels.base, size: size, format: format, bytesPerRow: pixels.bytesPerRow))
            }
        }
    }

    private func plain(_ value: Double) -> String { ProcessorName.number(value) }
}
