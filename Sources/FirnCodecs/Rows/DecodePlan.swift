import FirnImage

/// What one decode asks of a frame's rows and does to them, decided before the first of them.
struct DecodePlan {
    let options: DecodingOptions
    let properties: ImageProperties
    let frame: StoredFrame
    /// What is done to colours.
    let colors: ColorPlan
    /// What is asked of the reader.
    let request: RowRequest

    /// - Parameter frame: the frame whose pixels are decoded.
    init(_ options: DecodingOptions, _ properties: ImageProperties, frame: StoredFrame) {
        self.options = options
        self.properties = properties
        self.frame = frame
        let layout: SampleLayout =
            switch options.pixelFormat {
            case .bgra8Premultiplied: .bgra8
            case .rgba8Straight: .rgba8
            case .rgb8: .rgb8
            }
        let profile = options.appliesColorProfile ? properties.colorProfile : nil
        colors = ColorPlan(profile: profile, space: properties.colorSpace, layout: layout)
        request = RowRequest(
            layout: colors.decodedLayout ?? layout, least: DecodePlan.least(options, properties, frame.size),
            allowsPartial: options.allowsPartial, allowsEmbeddedPreview: options.allowsEmbeddedPreview)
    }

    /// The least size wanted of a frame, in stored orientation; `nil` for all pixels.
    private static func least(
        _ options: DecodingOptions, _ properties: ImageProperties, _ size: PixelSize
    ) -> PixelSize? {
        if let target = options.targetSize {
            let displayed = target.resolved(for: properties.orientation.displaySize(of: size))
            let stored = properties.orientation.transposes ? displayed.transposed : displayed
            return stored.covers(size) ? nil : stored
        }
        let level = options.subsamplingLevel
        guard level > 1 else { return nil }
        return PixelSize(
            width: max(1, (size.width - 1) / level + 1), height: max(1, (size.height - 1) / level + 1))
    }

    /// Bytes of the picture returned when rows of `size` pixels come, with the copy that turning it makes.
    func resultBytes(rows size: PixelSize) -> Int {
        guard let row = try? Bitmap.bytesPerRow(width: size.width, format: options.pixelFormat) else { return Int.max }
        let turned = options.appliesOrientation && properties.orientation != .up
        let (result, overflow) = row.multipliedReportingOverflow(by: max(size.height, 0))
        let (results, overflow2) = result.multipliedReportingOverflow(by: turned ? 2 : 1)
        return overflow || overflow2 ? Int.max : results
    }

    /// - Throws: ``DecodingError/Fault/limit`` if the picture would need more bytes than allowed.
    func checkBytes(_ size: PixelSize, _ limits: DecodingLimits) throws(DecodingError) {
        let row = (try? Bitmap.bytesPerRow(width: size.width, format: options.pixelFormat)) ?? Int.max
        let (bytes, overflow) = row.multipliedReportingOverflow(by: max(size.height, 0))
        guard !overflow, bytes <= limits.maximumDecodedBytes else {
            throw DecodingError(
                .limit,
                "needs \(overflow ? "uncountable" : "\(bytes)") bytes for \(size) pixels; "
                    + "the limit is \(limits.maximumDecodedBytes)")
        }
    }
}
