/// Draws a watermark over a result.
///
/// A separate step, because size and position depend on the size of the result.
struct WatermarkStep: ImageProcessing {
    let watermark: Watermark
    let options: ImgproxyOptions.Watermark
    /// The factor of offsets in pixels.
    let dpr: Double

    var identifier: String {
        let position = options.position?.rawValue ?? "re"
        return "serve/watermark?\(options.opacity),\(position),\(options.x),\(options.y),\(options.scale),\(dpr),"
            + watermark.identifier
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        let size = container.image.size
        let mark = try scaled(to: size, context)
        let id = "\(watermark.identifier)@\(mark.size)"
        let overlay: ImageProcessors.Overlay
        if let position = options.position {
            let place = ImgproxyGravity(position: position, x: options.x, y: options.y)
                .origin(of: mark.size, in: size, scale: dpr, mayHangOver: true)
            overlay = ImageProcessors.Overlay(mark, id: id, x: place.x, y: place.y, opacity: options.opacity)
        } else {
            let gap = { (value: Double, side: Int) in min(max(0, ImgproxyGravity.offset(value, side, dpr)), 65_535) }
            overlay = ImageProcessors.Overlay(
                tiling: mark, id: id, horizontalGap: gap(options.x, size.width),
                verticalGap: gap(options.y, size.height), opacity: options.opacity)
        }
        return try overlay.process(container, context: context)
    }

    /// Returns the watermark, fitted into its share of the result.
    private func scaled(to size: PixelSize, _ context: ImageProcessingContext) throws -> Bitmap {
        guard options.scale > 0 else { return watermark.image }
        let own = watermark.extent.sides
        let factor = min(
            Double(max(1, ImgproxyRounding.even(Double(size.width) * options.scale))) / own.width,
            Double(max(1, ImgproxyRounding.even(Double(size.height) * options.scale))) / own.height)
        let fitted = PixelSize(
            width: ImgproxyRounding.side(own.width, factor), height: ImgproxyRounding.side(own.height, factor))
        let resize = ImageProcessors.Resize(exactly: fitted, upscale: true)
        let image = try watermark.image(covering: fitted)
        return try resize.process(ImageContainer(image: image), context: context).image
    }
}
