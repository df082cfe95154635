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

/// A text that is drawn as a watermark, with a font of the system.
struct WatermarkText: Sendable, Equatable {
    let text: String
    /// The size of the font, in pixels.
    var size = 16.0
    var color = SRGBColor(red: 0, green: 0, blue: 0)
    /// The name of the font's family.
    var font = "sans-serif"

    /// The maximum length, in Unicode scalars.
    static let longest = 200
    /// The size of the font on the canvas that the text is measured on, in pixels.
    private static let em = 32

    /// Draws the text. Its image has no margins, except that the text is centered in it.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if the text has no visible character, or if SVG is not in this build.
    func drawn(_ limits: ImageLimits, _ cancellation: CancellationFlag) throws -> Watermark {
        let canvas = try Watermark(Data(svg().utf8), limits: limits).image
        let trim = ImageProcessors.Trim(
            tolerance: 0, color: SRGBColor(red: 255, green: 0, blue: 255), equalHorizontal: true,
            equalVertical: true, keepsLines: true)
        let context = ImageProcessingContext(cancellation: cancellation, limits: limits)
        let box = try trim.process(ImageContainer(image: canvas), context: context).image.size
        guard box != canvas.size else { throw ImageError(.request, at: .processing, "nothing of it is visible") }
        return try Watermark(Data(svg(box).utf8), limits: limits)
    }

    /// Returns a drawing of the text: black in the middle of a large canvas, or a part of it in its color.
    ///
    /// - Parameter box: the size of the part in the middle to show at the size of the font; `nil` (the default) for the
    ///   whole canvas.
    func svg(_ box: PixelSize? = nil) -> String {
        let em = WatermarkText.em
        // Few glyphs are wider than two em.
        let canvas = PixelSize(width: (2 * text.unicodeScalars.count + 4) * em, height: 6 * em)
        let part = box ?? canvas
        let scale = box == nil ? 1 : size / Double(em)
        // Trimming takes magenta for transparency.
        let color = box == nil ? SRGBColor(red: 0, green: 0, blue: 0) : color
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Double(part.width) * scale)" \
            height="\(Double(part.height) * scale)" viewBox="\((canvas.width - part.width) / 2) \
            \((canvas.height - part.height) / 2) \(part.width) \(part.height)">\
            <text x="\(canvas.width / 2)" y="\(3 * em + em / 3)" text-anchor="middle" font-size="\(em)" \
            font-family="\(MarkupText.escaped(font))" fill="#\([color.red, color.green, color.blue].hexadecimal)" \
            xml:space="preserve">\(MarkupText.escaped(text))</text></svg>
            """
    }
}
