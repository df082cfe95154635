import FirnImage
import FirnProcessing

/// Turns a plan of the IIIF Image API into one of the service.
struct IIIFRendering: Sendable {
    let plan: IIIFPlan

    /// The text that requests with equal results share.
    var key: String { "iiif/" + plan.canonical }

    var renderPlan: RenderPlan {
        var result = RenderPlan(decodedSize: plan.size, format: format)
        result.region = ImageRegion(plan.region)
        var steps: [any ImageProcessing] = [ImageProcessors.Resize(exactly: plan.size, upscale: true)]
        if plan.isMirrored { steps.append(ImageProcessors.Flip(.horizontal)) }
        if let turn = ImageProcessors.Rotate.Turn(rawValue: plan.quarterTurns * 90) {
            steps.append(ImageProcessors.Rotate(turn))
        }
        switch plan.quality {
        case .default, .color: break
        case .gray: steps.append(ImageProcessors.ColorMatrix.grayscale())
        case .bitonal:
            // Order: what is mixed with the background after the threshold is gray.
            steps.append(ImageProcessors.Flatten())
            steps.append(ImageProcessors.ColorMatrix.grayscale())
            // Weights are at most 8. Three times that moves each level to black or white.
            for _ in 0..<3 { steps.append(ImageProcessors.ColorMatrix.contrast(7.9)) }
        }
        if plan.format == .jpg { steps.append(ImageProcessors.Flatten()) }
        result.processors = steps
        result.quality = 0.85
        return result
    }

    private var format: ImageFormat {
        switch plan.format {
        case .jpg: .jpeg
        case .png: .png
        case .tif: .tiff
        case .gif: .gif
        case .webp: .webp
        case .avif: .avif
        }
    }
}
