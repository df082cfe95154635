import FirnImage
import FirnProcessing

/// Turns a request of imgproxy's language into a plan.
struct ImgproxyRendering: Sendable {
    let request: ImgproxyRequest
    let settings: ImgproxySettings
    /// The `Accept` field.
    let accept: String

    private var options: ImgproxyOptions { request.options }

    /// The text that requests with equal results share: the options, and the class of the client.
    var key: String {
        let negotiation = ImgproxyNegotiation(settings: settings)
        let accepted = options.format == nil || !settings.enforcedFormats.isEmpty ? negotiation.accepted(accept) : nil
        let format = options.format ?? .jpeg
        let named = options.format == nil ? "auto" : format.rawValue
        return "imgproxy/\(named)/\(accepted?.rawValue ?? "")/"
            + options.canonicalText(format: format, settings: settings)
    }

    func plan(_ source: SourceInfo) throws(ServeError) -> RenderPlan {
        let format = resultFormat(source)
        let geometry = ImgproxyGeometry(options: options, limits: settings.limits)
        let plan: ImgproxyPlan
        do throws(ImgproxyError) {
            plan = try geometry.plan(
                width: source.size.width, height: source.size.height, isVector: source.isVector,
                format: ImgproxyFormat(rawValue: format.rawValue) ?? .jpeg)
        } catch {
            throw ServeError(error.status, error.message)
        }
        try refuseMissing()
        var result = RenderPlan(decodedSize: ImgproxyRendering.size(plan.scaled), format: format)
        if let crop = plan.crop, !plan.isCropSmart {
            result.region = .pixels(x: crop.x, y: crop.y, width: crop.width, height: crop.height)
        } else if let crop = plan.crop {
            // The content decides, so all of it is decoded.
            result.decodedSize = source.size
            result.processors.append(
                ImageProcessors.Crop(size: PixelSize(width: crop.width, height: crop.height), anchor: .attention))
        }
        result.processors += steps(plan, source, format)
        let quality = options.quality(for: ImgproxyFormat(rawValue: format.rawValue) ?? .jpeg, settings: settings)
        result.quality = Double(min(max(quality, 1), 100)) / 100
        result.mostBytes = options.maxBytes
        return result
    }

    // MARK: Format

    private func resultFormat(_ source: SourceInfo) -> ImageFormat {
        let stored = ImgproxyFormat(rawValue: source.format.rawValue) ?? .png
        var format = ImgproxyNegotiation(settings: settings).format(
            requested: options.format, accept: accept, source: stored, isAnimated: false, hasAlpha: source.hasAlpha)
        // A drawing is never passed on: it may have active content.
        if format == .svg, options.format == nil {
            format = ImgproxyNegotiation(settings: settings).accepted(accept) ?? .png
        }
        return ImageFormat(rawValue: format.rawValue)
    }

    private func refuseMissing() throws(ServeError) {
        if options.trim != nil { throw ServeError(422, "trim: is not supported") }
        if options.pixelate > 1 { throw ServeError(422, "pixelate: is not supported") }
        if options.watermark.opacity > 0 { throw ServeError(422, "watermark: no image is configured") }
    }

    // MARK: Steps

    private static func size(_ size: ImgproxySize) -> PixelSize { PixelSize(width: size.width, height: size.height) }

    private func steps(_ plan: ImgproxyPlan, _ source: SourceInfo, _ format: ImageFormat) -> [any ImageProcessing] {
        var steps: [any ImageProcessing] = [
            ImageProcessors.Resize(exactly: ImgproxyRendering.size(plan.scaled), upscale: true)
        ]
        if let turn = ImageProcessors.Rotate.Turn(rawValue: plan.rotation) {
            steps.append(ImageProcessors.Rotate(turn))
        }
        if plan.flipHorizontal { steps.append(ImageProcessors.Flip(.horizontal)) }
        if plan.flipVertical { steps.append(ImageProcessors.Flip(.vertical)) }
        if let crop = plan.resultCrop {
            let size = PixelSize(width: crop.width, height: crop.height)
            steps.append(
                plan.isResultCropSmart
                    ? ImageProcessors.Crop(size: size, anchor: .attention)
                    : ImageProcessors.Crop(x: crop.x, y: crop.y, width: crop.width, height: crop.height))
        }
        if options.blur > 0 { steps.append(ImageProcessors.GaussianBlur(radius: options.blur)) }
        if options.sharpen > 0 { steps.append(ImageProcessors.Sharpen(radius: options.sharpen)) }
        let ground = background(format)
        var size = plan.resultCrop.map { ImgproxySize($0.width, $0.height) } ?? turned(plan)
        for canvas in [plan.extend, plan.extendAspectRatio].compactMap({ $0 }) {
            steps.append(pad(size, canvas, ground))
            size = canvas.size
        }
        let padding = plan.padding
        if padding != ImgproxyOptions.Padding() {
            steps.append(
                ImageProcessors.Pad(
                    top: padding.top, left: padding.left, bottom: padding.bottom, right: padding.right,
                    color: ground ?? ImageProcessors.Pad.clear))
        }
        if plan.result != plan.unlimited {
            steps.append(ImageProcessors.Resize(exactly: ImgproxyRendering.size(plan.result)))
        }
        if let ground { steps.append(ImageProcessors.Flatten(background: ground)) }
        return steps
    }

    private func turned(_ plan: ImgproxyPlan) -> ImgproxySize {
        plan.rotation % 180 == 0 ? plan.scaled : ImgproxySize(plan.scaled.height, plan.scaled.width)
    }

    private func pad(
        _ size: ImgproxySize, _ canvas: ImgproxyPlan.Canvas, _ ground: SRGBColor?
    ) -> ImageProcessors.Pad {
        ImageProcessors.Pad(
            top: max(0, canvas.y), left: max(0, canvas.x), bottom: max(0, canvas.size.height - size.height - canvas.y),
            right: max(0, canvas.size.width - size.width - canvas.x), color: ground ?? ImageProcessors.Pad.clear)
    }

    /// The color below transparent pixels; `nil` where they stay.
    private func background(_ format: ImageFormat) -> SRGBColor? {
        if let color = options.background { return SRGBColor(red: color.red, green: color.green, blue: color.blue) }
        return format == .jpeg ? SRGBColor(red: 255, green: 255, blue: 255) : nil
    }
}
