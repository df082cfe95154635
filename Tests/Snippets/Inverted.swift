import Firn

// snippet.inverted
/// Turns light into dark and dark into light.
struct Inverted: ImageProcessing {
    struct WrongLayout: Error {}

    let identifier = "org.example.inverted"

    func process(
        _ container: ImageContainer, context: ImageProcessingContext
    ) throws -> ImageContainer {
        let source = container.image
        guard source.format == .bgra8Premultiplied else { throw WrongLayout() }
        var container = container
        container.image = try Bitmap(
            size: source.size, isOpaque: source.isOpaque
        ) { pixels in
            for y in 0..<source.size.height {
                if context.cancellation.isCancelled { throw CancellationError() }
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                source.withUnsafeBytes { bytes in
                    for x in stride(from: 0, to: source.size.width * 4, by: 4) {
                        let place = y * source.bytesPerRow + x
                        let alpha = bytes[place + 3]
                        // Colors are multiplied by alpha, and so is their maximum.
                        for component in 0..<3 {
                            row[x + component] = alpha &- bytes[place + component]
                        }
                        row[x + 3] = alpha
                    }
                }
            }
        }
        return container
    }
}
// snippet.end

// snippet.user-info
extension ImageContainer.UserInfoKey {
    static let averageColor: Self = "org.example.average-color"
}

/// Attaches the average color, and leaves the pixels as they are.
struct AverageColor: ImageProcessing {
    let identifier = "org.example.average-color"

    func process(
        _ container: ImageContainer, context: ImageProcessingContext
    ) throws -> ImageContainer {
        var container = container
        container.userInfo[.averageColor] = container.image.averageColor()
        return container
    }
}
// snippet.end

enum InvertedUse {
    static func color(_ response: ImageResponse) -> SRGBColor? {
        // snippet.user-info
        let color = response.container.userInfo[.averageColor] as? SRGBColor
        // snippet.end
        return color
    }

    static func badge() -> [any ImageProcessing] {
        // snippet.processing-options
        let side = PixelSize(48)
        let line = ImageProcessingOptions.Border(color: .white)
        let badge: [any ImageProcessing] = [
            .resize(size: side, unit: .points(scale: 2), contentMode: .fill),
            .crop(size: side, unit: .points(scale: 2), anchor: .attention),
            .roundedCorners(radius: 8, unit: .points(scale: 2), border: line),
        ]
        // snippet.end
        return badge
    }

    static func request() -> ImageRequest {
        // snippet.inverted-use
        let request = ImageRequest(
            url: "https://example.org/photo.jpg",
            processors: [.resize(width: 640), Inverted()])
        // snippet.end
        return request
    }

    static func anonymous(_ blur: @escaping @Sendable (Bitmap, Int) throws -> Bitmap) -> any ImageProcessing {
        let radius = 12
        // snippet.anonymous
        let blurred = ImageProcessors.process(id: "blur \(radius)") { image in
            try blur(image, radius)
        }
        // snippet.end
        return blurred
    }

    static func composition() -> ImageRequest {
        // snippet.composition
        let avatar = ImageRequest(
            url: "https://example.org/photo.jpg",
            processors: [
                .composition([
                    .resize(size: PixelSize(128), contentMode: .fill, crop: true),
                    .gaussianBlur(radius: 2),
                    .circle(),
                ])
            ])
        // snippet.end
        return avatar
    }
}
