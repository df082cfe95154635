import FirnCodecs
package import FirnImage
import FoundationEssentials

/// The image that results are marked with.
package struct Watermark: Sendable {
    let image: Bitmap
    /// The base of a share of a result.
    let extent: ImageExtent
    private let drawing: Data?
    private let limits: ImageLimits
    /// Differs for different images.
    let identifier: String

    /// - Throws: ``ConfigurationError`` that names the file if it is missing or no image.
    package init(file: String, limits: ImageLimits) throws(ConfigurationError) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ConfigurationError("\(file): cannot be read")
        }
        do {
            let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
            try decoder.setData(data, allDataReceived: true)
            let frame = try decoder.frame(at: 0)
            (image, extent) = (try frame.image(), frame.extent)
        } catch {
            throw ConfigurationError("\(file): is no image: \(error)")
        }
        drawing = extent.vector == nil ? nil : data
        self.limits = limits
        identifier = HexadecimalDigest.text(of: data)
    }

    /// Returns the image with at least `size` pixels if it is a drawing, which has as many as are wanted; otherwise
    /// with all that it has.
    func image(covering size: PixelSize) throws -> Bitmap {
        guard let drawing else { return image }
        let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
        try decoder.setData(drawing, allDataReceived: true)
        var options = DecodingOptions()
        options.targetSize = TargetSize(size, mode: .fill)
        return try decoder.frame(at: 0, options: options).image()
    }
}
