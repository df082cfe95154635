import FirnImage
import FirnProcessing

/// Resizes an image that was not decoded for the request to its target size, and converts it to its layout. A vector
/// image without a target gets its own size.
struct FitProcessor: ImageProcessing {
    let target: TargetSize?
    let format: PixelFormat

    var identifier: String {
        "firn/fit?\(target?.keyText ?? ""),\(format)"
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        var container = container
        // A vector image may have been rendered larger than its own size.
        let own = container.vectorSize == nil ? nil : container.originalSize
        if let size = target?.resolved(for: container.extent) ?? own, size != container.image.size {
            container.image = try container.image.resized(to: size, cancellation: context.cancellation)
        }
        container.image = try container.image.preferring(format)
        return container
    }
}
