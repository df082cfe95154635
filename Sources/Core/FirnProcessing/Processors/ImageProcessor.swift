internal import FirnImage

/// A processor of Firn, from bitmap to bitmap, within a run.
protocol ImageProcessor: ImageProcessing {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap
}

extension ImageProcessor {
    /// Implements ``ImageProcessing``: starts a run and processes the image.
    func change(_ container: ImageContainer, _ context: ImageProcessingContext) throws -> ImageContainer {
        let run = ProcessingRun(
            name: ProcessorName.short(identifier), context: context,
            // The exact size of a vector image, of which its own size is rounded, is that of its pixels.
            originalSize: container.vectorSize == nil ? container.area?.size ?? container.originalSize : nil)
        try run.check()
        var container = container
        container.image = try processed(container.image, run)
        return container
    }

    /// Returns the changed image. Processors that other modules use implement it themselves.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try change(container, context)
    }
}
