import FirnImage
import FirnProcessing

/// Resizes an image that was not decoded for the request to its target size, and converts it to its layout.
struct FitProcessor: ImageProcessing {
    let target: TargetSize?
    let format: PixelFormat

    var identifier: String {
        let size = target.map { "\($0.size),\($0.mode)\($0.upscale ? ",up" : "")" } ?? ""
        return "firn/fit?\(size),\(format)"
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        var container = container
        if let target {
            let size = target.resolved(for: container.originalSize ?? container.image.size)
            container.image = try container.image.resized(to: size, cancellation: context.cancellation)
        }
        // An image with transparency cannot have an opaque layout.
        let isMet = format.hasAlpha || container.image.isOpaque
        container.image = try container.image.converted(to: isMet ? format : .bgra8Premultiplied)
        return container
    }
}
