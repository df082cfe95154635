internal import FirnImage

/// A processor of Firn's own: bitmap to bitmap, within a run.
protocol ImageProcessor: ImageProcessing {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap
}

extension ImageProcessor {
    /// What ``ImageProcessing`` asks for.
    func change(_ container: ImageContainer, _ context: ImageProcessingContext) throws -> ImageContainer {
        let run = ProcessingRun(
            name: ProcessorName.short(identifier), context: context, originalSize: container.originalSize)
        try run.check()
        var container = container
        container.image = try processed(container.image, run)
        return container
    }
}
