import FirnImage
import FirnProcessing

/// Turns an upright image back to how its file stores it.
struct StoredOrientation: ImageProcessing {
    private let inverse: ImageOrientation

    /// - Parameter orientation: how the image was turned for display.
    init(_ orientation: ImageOrientation) {
        inverse =
            switch orientation {
            // The others are their own inverses.
            case .right: .left
            case .left: .right
            default: orientation
            }
    }

    var identifier: String { "serve/stored?o=\(inverse.rawValue)" }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        var container = container
        container.image = try container.image.oriented(inverse)
        return container
    }
}
