import FoundationEssentials

/// The watermark that a request names.
enum RequestedWatermark: Sendable {
    case image(SourceReference)
    case text(WatermarkText)

    /// The part of result keys that identifies the watermark.
    var key: String {
        switch self {
        case .image(let source): source.key
        case .text(let text): "text:\(text.size)\(text.color)\n\(text.svg())"
        }
    }

    /// The source of an image; `nil` for a text.
    var source: SourceReference? { if case .image(let source) = self { source } else { nil } }
}

/// The watermark image.
struct Watermark: Sendable {
    let image: Bitmap
    /// The size from which shares of a result are computed.
    let extent: ImageExtent
    private let drawing: Data?
    private let limits: ImageLimits
    /// Differs for different images.
    let identifier: String

    /// - Throws: ``ConfigurationError`` that names the file if it is missing or not an image.
    init(file: String, limits: ImageLimits) throws(ConfigurationError) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ConfigurationError("\(file): cannot be read")
        }
        do { try self.init(data, limits: limits) } catch {
            throw ConfigurationError("\(file): is no image: \(error)")
        }
    }

    /// Decodes a file.
    init(_ data: Data, limits: ImageLimits) throws {
        let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
        try decoder.setData(data, allDataReceived: true)
        let frame = try decoder.frame(at: 0)
        self.init(try frame.image(), extent: frame.extent, of: data, limits: limits)
    }

    /// - Parameter data: the file that `image` was decoded from.
    init(_ image: Bitmap, extent: ImageExtent, of data: Data, limits: ImageLimits) {
        self.image = image
        self.extent = extent
        drawing = extent.vector == nil ? nil : data
        self.limits = limits
        identifier = HexadecimalDigest.text(of: data)
    }

    /// Returns the image: a drawing rendered with at least `size` pixels, a bitmap with its own pixels.
    func image(covering size: PixelSize) throws -> Bitmap {
        guard let drawing else { return image }
        let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
        try decoder.setData(drawing, allDataReceived: true)
        var options = DecodingOptions()
        options.targetSize = TargetSize(size, mode: .fill)
        return try decoder.frame(at: 0, options: options).image()
    }
}
