import FirnImage
import FirnProcessing

extension IIIFPlan {
    /// The key that requests with equal results share.
    var key: String { "iiif/" + canonical }

    /// The plan for the service.
    var rendering: RenderPlan {
        var result = RenderPlan(decodedSize: size, format: ImageFormat(ending: format.rawValue))
        result.region = ImageRegion(region)
        var steps: [any ImageProcessing] = [ImageProcessors.Resize(exactly: size, upscale: true)]
        if isMirrored { steps.append(ImageProcessors.Flip(.horizontal)) }
        if let turn = ImageProcessors.Rotate.Turn(rawValue: quarterTurns * 90) {
            steps.append(ImageProcessors.Rotate(turn))
        }
        switch quality {
        case .default, .color: break
        case .gray: steps.append(ImageProcessors.ColorMatrix.grayscale())
        case .bitonal:
            // Order: flattening after the threshold would blend to gray pixels.
            steps.append(ImageProcessors.Flatten())
            steps.append(ImageProcessors.ColorMatrix.grayscale())
            // Weights are at most 8. Applied three times, each level becomes black or white.
            for _ in 0..<3 { steps.append(ImageProcessors.ColorMatrix.contrast(7.9)) }
        }
        if format == .jpg { steps.append(ImageProcessors.Flatten()) }
        result.processors = steps
        result.quality = 0.85
        return result
    }
}
