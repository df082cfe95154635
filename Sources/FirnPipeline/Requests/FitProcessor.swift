import FirnImage
import FirnProcessing

/// Resizes an image that was not decoded for the request to its target size, and converts it to its layout.
struct FitProcessor: ImageProcessing {
    let target: TargetSize?
    let format: PixelFormat

    var identifier: String {
        "firn/fit?\(target?.keyText ?? ""),\(format)"
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        var container = container
        if let target {
            let size = target.resolved(for: container.originalSize ?? container.image.size)
            container.image = try container.image.resized(to: size, cancellation: context.cancellation)
        }
        container.image = try container.image.preferring(format)
        return container
    }
}
