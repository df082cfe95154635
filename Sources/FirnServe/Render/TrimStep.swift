import FirnImage
import FirnProcessing

/// Trims an image and does all further steps of a request, which follow from the size of what is left.
struct TrimStep: ImageProcessing {
    let rendering: ImgproxyRendering
    let trim: ImageProcessors.Trim
    let source: SourceInfo
    let format: ImageFormat

    var identifier: String { "serve/\(trim.identifier)/\(format.rawValue)/\(rendering.key)" }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        let trimmed = try trim.process(container, context: context)
        let plan: ImgproxyPlan
        do {
            plan = try rendering.plan(size: trimmed.image.size, source, format)
        } catch {
            throw ImageProcessingError(.limit, in: "trim", error.message)
        }
        let steps = rendering.crop(plan) + rendering.steps(plan, format)
        return try ImageProcessors.Composition(steps).process(trimmed, context: context)
    }
}
