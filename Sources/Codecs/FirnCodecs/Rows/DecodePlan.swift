import FirnSync

/// The plan of one decode: the request for a frame's rows, and their conversion, decided before the first row.
struct DecodePlan {
    let options: DecodingOptions
    let properties: ImageProperties
    let frame: StoredFrame
    /// The color conversion.
    let colors: ColorPlan
    /// The request to the reader.
    let request: RowRequest
    /// True if the requested region has no pixel in the frame.
    let isOutside: Bool
    /// The orientation that the decode applies.
    let orientation: ImageOrientation
    /// The size of the whole frame in the orientation of the image.
    let shownSize: PixelSize

    /// Reads color profiles; `nil` for this process.
    let workers: CodecWorkers?

    /// - Parameters:
    ///   - options: their frame is the index of `frame`.
    ///   - frame: the frame whose pixels are decoded.
    ///   - workers: read color profiles; `nil` (the default) for this process.
    /// - Throws: ``ImageError`` if a worker ended.
    init(
        _ options: DecodingOptions, _ properties: ImageProperties, frame: StoredFrame, _ workers: CodecWorkers? = nil
    ) throws(ImageError) {
        self.options = options
        self.properties = properties
        self.frame = frame
        self.workers = workers
        colors = try ColorPlan(
            properties, format: options.pixelFormat, converts: options.appliesColorProfile,
            target: ColorTarget(profile: options.targetProfile, intent: options.renderingIntent), workers)
        orientation = options.appliesOrientation ? properties.orientation : .up
        shownSize = orientation.displaySize(of: frame.size)
        let area = options.region?.resolved(in: shownSize)
        isOutside = options.region != nil && area == nil
        let part = area.map { [orientation] in orientation.storedArea(of: $0, in: frame.size) } ?? PixelArea(frame.size)
        request = RowRequest(
            frame: options.frame, layout: colors.decoded, area: part == PixelArea(frame.size) ? nil : part,
            least: DecodePlan.least(options, properties, part.size, of: frame.size),
            allowsPartial: options.allowsPartial, allowsEmbeddedPreview: options.allowsEmbeddedPreview)
    }

    /// The request to the reader for a frame that is not composited. Leaves out alpha if the frame is opaque and its
    /// rows are averaged, which saves a quarter of the bytes. Progressive images keep alpha, because their missing
    /// pixels are transparent.
    var narrowRequest: RowRequest {
        let size = request.area?.size ?? frame.size
        let isPNG = properties.format == .png || properties.format == .apng
        guard isPNG, !frame.hasAlpha, !properties.isProgressive, colors.decoded == .bgra8 || colors.decoded == .rgba8,
            imageSize(rows: size) != size
        else { return request }
        var narrow = request
        narrow.layout = .rgb8
        return narrow
    }

    /// Returns the least size requested of a frame of `whole` pixels, or of a part of it that has `size`, in stored
    /// orientation; `nil` for all pixels.
    private static func least(
        _ options: DecodingOptions, _ properties: ImageProperties, _ size: PixelSize, of whole: PixelSize
    ) -> PixelSize? {
        if let target = options.targetSize {
            let orientation = properties.orientation
            let vector = properties.vectorSize == nil ? nil : properties.extent.vector
            let extent = ImageExtent(orientation.displaySize(of: whole), vector: vector)
            let displayed = target.resolved(for: extent.part(orientation.displaySize(of: size)))
            let stored = orientation.transposes ? displayed.transposed : displayed
            // Only a vector image can have more pixels than are stored.
            return extent.vector == nil ? (stored.covers(size) ? nil : stored) : (stored == size ? nil : stored)
        }
        return options.subsamplingLevel > 1 ? size.divided(by: options.subsamplingLevel) : nil
    }

    /// Returns the size of the image made from rows of `size` pixels: the same, or smaller if less is requested.
    func imageSize(rows size: PixelSize) -> PixelSize {
        guard let least = request.least, !size.isEmpty else { return size }
        guard options.targetSize == nil else { return Reduction.size(of: size, covering: least) }
        return PixelSize(width: min(size.width, least.width), height: min(size.height, least.height))
    }

    /// Returns the bytes needed to make the image from rows of `size` pixels: the image, its rotated copy, and strips.
    func resultBytes(rows size: PixelSize) -> Int {
        let image = imageSize(rows: size)
        guard let row = try? Bitmap.bytesPerRow(width: image.width, format: options.pixelFormat) else {
            return Int.max
        }
        return row.saturatingMultiply(max(image.height, 0)).saturatingMultiply(orientation == .up ? 1 : 2)
            .saturatingAdd(stripBytes(rows: size, image))
    }

    /// Returns the bytes of buffers between decoder and image: samples in another layout, and rows to average.
    private func stripBytes(rows size: PixelSize, _ image: PixelSize) -> Int {
        func bytes(_ size: PixelSize, rows: Int) -> Int {
            let row = colors.decoded.rowBytes(width: size.width) ?? .max
            // Low enough that the sum of several such values cannot overflow.
            return min(row.saturatingMultiply(rows), Int.max / 8)
        }
        // Passes are written all over the image, whose samples are then held as a whole. JPEG holds coefficients.
        let isWhole = properties.isProgressive && properties.format != .jpeg
        var total = 0
        if image != size {
            total += bytes(
                size, rows: isWhole ? size.height : colors.decoded.stripRows(of: size))
            total += AreaReducer.bytes(width: size.width, newWidth: image.width, layout: colors.decoded)
        }
        if colors.needsStrip {
            let rows = colors.rowsAtOnce(width: image.width)
            total += bytes(image, rows: isWhole && image == size ? size.height : rows)
        }
        return total
    }

    /// - Parameter width: the pixels of a row as it is decoded.
    /// - Throws: ``ImageError/Fault/limit`` if one row would need more bytes than allowed.
    func checkRow(width: Int, _ limits: ImageLimits) throws(ImageError) {
        let (bytes, overflow) = width.multipliedReportingOverflow(by: colors.decoded.bytesPerPixel)
        guard !overflow, bytes <= limits.maximumRowBytes else {
            throw .limit(
                "has rows of \(width) pixels; \(limits.maximumRowBytes) bytes a row are allowed", "maximumRowBytes")
        }
    }
}
