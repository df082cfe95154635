import FirnSync

/// The plan of one decode: what it requests of a frame's rows and how it converts them, decided before the first row.
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

    /// Reads color profiles; `nil` for this process.
    private let workers: CodecWorkers?

    /// - Parameters:
    ///   - options: their frame is the index of `frame`.
    ///   - frame: the frame whose pixels are decoded.
    ///   - workers: read color profiles; `nil` (the default) for this process.
    /// - Throws: ``ImageDecodingError`` if a worker ended.
    init(
        _ options: DecodingOptions, _ properties: ImageProperties, frame: StoredFrame, _ workers: CodecWorkers? = nil
    ) throws(ImageDecodingError) {
        self.options = options
        self.properties = properties
        self.frame = frame
        self.workers = workers
        colors = try ColorPlan(
            properties, format: options.pixelFormat, converts: options.appliesColorProfile, workers)
        let area = options.region.map { DecodePlan.area($0, options, properties, frame.size) }
        isOutside = area == .some(nil)
        let part = area.flatMap { $0 } ?? PixelArea(frame.size)
        request = RowRequest(
            frame: options.frame, layout: colors.decoded, area: part == PixelArea(frame.size) ? nil : part,
            least: DecodePlan.least(options, properties, part.size, of: frame.size),
            allowsPartial: options.allowsPartial, allowsEmbeddedPreview: options.allowsEmbeddedPreview)
    }

    /// Returns the plan of a frame that the image is drawn of, with the same options.
    func part(_ frame: StoredFrame, _ options: DecodingOptions) throws(ImageDecodingError) -> DecodePlan {
        try DecodePlan(options, properties, frame: frame, workers)
    }

    /// The request to the reader for a frame that is no change to earlier ones: without alpha if it is full everywhere
    /// and the rows are averaged, which makes a quarter fewer bytes to write and to read. Passes keep it, since pixels
    /// that are missing are transparent.
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

    /// Returns the stored pixels of a region of a frame of `size`; `nil` if it has none.
    private static func area(
        _ region: ImageRegion, _ options: DecodingOptions, _ properties: ImageProperties, _ size: PixelSize
    ) -> PixelArea? {
        guard options.appliesOrientation else { return region.resolved(in: size) }
        let orientation = properties.orientation
        return region.resolved(in: orientation.displaySize(of: size)).map { orientation.storedArea(of: $0, in: size) }
    }

    /// Returns the least size requested of a frame of `whole` pixels, or of a part of `size` of it, in stored
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
            // More pixels than are stored exist only of a vector image.
            return extent.vector == nil ? (stored.covers(size) ? nil : stored) : (stored == size ? nil : stored)
        }
        return options.subsamplingLevel > 1 ? size.divided(by: options.subsamplingLevel) : nil
    }

    /// The size of the whole frame in the orientation of the image.
    var shownSize: PixelSize {
        options.appliesOrientation ? properties.orientation.displaySize(of: frame.size) : frame.size
    }

    /// Returns the size of the image made from rows of `size` pixels: the same, or smaller if less is requested.
    func imageSize(rows size: PixelSize) -> PixelSize {
        guard let least = request.least, !size.isEmpty else { return size }
        guard options.targetSize == nil else { return Reduction.size(of: size, covering: least) }
        return PixelSize(width: min(size.width, least.width), height: min(size.height, least.height))
    }

    /// Returns the bytes that making the image from rows of `size` pixels holds, including the image itself and the
    /// copy that rotating it makes.
    func resultBytes(rows size: PixelSize) -> Int {
        let image = imageSize(rows: size)
        guard let row = try? Bitmap.bytesPerRow(width: image.width, format: options.pixelFormat) else {
            return Int.max
        }
        let turned = options.appliesOrientation && properties.orientation != .up
        return row.saturatingMultiply(max(image.height, 0)).saturatingMultiply(turned ? 2 : 1)
            .saturatingAdd(stripBytes(rows: size, image))
    }

    /// Returns the bytes between the decoder and the image: samples in another layout, and rows that are averaged.
    private func stripBytes(rows size: PixelSize, _ image: PixelSize) -> Int {
        func bytes(_ size: PixelSize, rows: Int) -> Int {
            let row = colors.decoded.rowBytes(width: size.width) ?? .max
            // Far below the maximum of Int, so that adding several such values cannot overflow.
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
    /// - Throws: ``ImageDecodingError/Fault/limit`` if one row would need more bytes than allowed.
    func checkRow(width: Int, _ limits: ImageLimits) throws(ImageDecodingError) {
        let (bytes, overflow) = width.multipliedReportingOverflow(by: colors.decoded.bytesPerPixel)
        guard !overflow, bytes <= limits.maximumRowBytes else {
            throw ImageDecodingError(
                .limit,
                "has rows of \(width) pixels; ImageLimits.maximumRowBytes allows \(limits.maximumRowBytes) bytes a row")
        }
    }
}
