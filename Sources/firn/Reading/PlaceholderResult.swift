import Firn
import FirnReport
import FoundationEssentials

/// The result of `firn placeholder` for one file.
struct PlaceholderResult: ImageFinding {
    private let size: PixelSize
    private let blurHash: String
    private let thumbHash: String
    private let average: String
    private let dominant: String
    private let preview: String

    /// - Parameter components: waves of the BlurHash over width and height.
    init(_ file: ImageFile, components: PixelSize, previewSide: Int) throws(ImageFault) {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.prefersDefaultImage = true
        // The hashes use at most this many pixels.
        options.targetSize = TargetSize(100)
        let image = try file.decode(options)
        guard let blur = BlurHash(image, columns: components.width, rows: components.height),
            let thumb = ThumbHash(image)
        else { throw ImageFault("limit", "there is no memory") }
        do {
            let side = TargetSize(previewSide).resolved(for: image.size)
            let small = side == image.size ? image : try image.resized(to: side)
            preview = try WebPEncoder(quality: 0.7).dataURL(of: small)
        } catch {
            throw ImageFault("limit", "\(error)")
        }
        size = file.properties.displaySize
        blurHash = blur.text
        thumbHash = thumb.data.base64EncodedString()
        average = image.averageColor()?.description ?? "#00000000"
        dominant = image.dominantColor()?.description ?? "#00000000"
    }

    var fields: [(name: String, value: JSONValue)] {
        [
            ("width", .int(size.width)),
            ("height", .int(size.height)),
            ("blurHash", .string(blurHash)),
            ("thumbHash", .string(thumbHash)),
            ("averageColor", .string(average)),
            ("dominantColor", .string(dominant)),
            ("preview", .string(preview)),
        ]
    }

    func lines(_ name: String) -> [String] {
        [
            "\(name): \(size)", "  blurhash   \(blurHash)", "  thumbhash  \(thumbHash)", "  average    \(average)",
            "  dominant   \(dominant)", "  preview    \(preview)",
        ]
    }
}
