import FirnCodecs
package import FirnImage
import FoundationEssentials

/// The image that results are marked with.
package struct Watermark: Sendable {
    let image: Bitmap
    /// Differs for different images.
    let identifier: String

    /// The file is missing or no image. The description names it.
    package struct ReadingError: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads the first frame of a file.
    package init(file: String, limits: ImageLimits) throws(ReadingError) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ReadingError(description: "\(file): cannot be read")
        }
        do {
            let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
            try decoder.setData(data, allDataReceived: true)
            image = try decoder.frame(at: 0).image()
        } catch {
            throw ReadingError(description: "\(file): is no image: \(error)")
        }
        identifier = HexadecimalDigest.text(of: data)
    }
}
