import FirnImage
import FirnProcessing

/// Trims an image and does all further steps of a request, which follow from the size of what is left.
struct TrimStep: ImageProcessing {
    let rendering: ImgproxyRendering
    let trim: ImageProcessors.Trim
    let source: SourceInfo
    let format: ImgproxyFormat

    var identifier: String { "serve/\(trim.identifier)/\(format.rawValue)/\(rendering.key)" }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        let trimmed = try trim.process(container, context: context)
        let plan: ImgproxyPlan
        do {
            plan = try rendering.plan(extent(of: trimmed.image.size, in: container.image.size), format)
        } catch {
            throw ImageProcessingError(.limit, in: "trim", error.message)
        }
        let steps = rendering.crop(plan) + rendering.steps(plan, format)
        return try ImageProcessors.Composition(steps).process(trimmed, context: context)
    }

    /// Returns what is left of the source, in its own pixels. A drawing is rendered larger if that is asked for.
    private func extent(of trimmed: PixelSize, in whole: PixelSize) -> ImageExtent {
        guard let vector = source.vectorSize, !whole.isEmpty else { return ImageExtent(trimmed) }
        let width = Double(trimmed.width) * vector.width / Double(whole.width)
        let height = Double(trimmed.height) * vector.height / Double(whole.height)
        let pixels = PixelSize(
            width: max(1, ImgproxyRounding.round(width)), height: max(1, ImgproxyRounding.round(height)))
        return ImageExtent(pixels, vector: VectorSize(width: width, height: height))
    }
}
