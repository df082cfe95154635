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
        // A drawing is never passed on: it may have active content.
        if let stored = ImgproxyFormat(rawValue: source.format.rawValue), stored != .svg,
            options.skipsProcessing(source: stored)
        {
            var plan = RenderPlan(decodedSize: source.size, format: source.format)
            plan.passesSource = true
            return plan
        }
        let format = resultFormat(source)
        let geometry = ImgproxyGeometry(options: options, limits: settings.limits)
        let plan = try geometry.plan(
            width: source.size.width, height: source.size.height, isVector: source.isVector,
            format: ImgproxyFormat(rawValue: format.rawValue) ?? .jpeg)
        try refuseMissing()
        var result = RenderPlan(decodedSize: plan.scaled, format: format)
        if let crop = plan.crop, !plan.isCropSmart {
            result.region = ImageRegion(crop)
        } else if let crop = plan.crop {
            // The content decides, so all of it is decoded.
            result.decodedSize = source.size
            result.processors.append(
                ImageProcessors.Crop(size: crop.size, anchor: .attention))
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

    private func steps(_ plan: ImgproxyPlan, _ source: SourceInfo, _ format: ImageFormat) -> [any ImageProcessing] {
        var steps: [any ImageProcessing] = [
            ImageProcessors.Resize(exactly: plan.scaled, upscale: true)
        ]
        if let turn = ImageProcessors.Rotate.Turn(rawValue: plan.rotation) {
            steps.append(ImageProcessors.Rotate(turn))
        }
        if plan.flipHorizontal { steps.append(ImageProcessors.Flip(.horizontal)) }
        if plan.flipVertical { steps.append(ImageProcessors.Flip(.vertical)) }
        if let crop = plan.resultCrop {
            steps.append(
                plan.isResultCropSmart
                    ? ImageProcessors.Crop(size: crop.size, anchor: .attention)
                    : ImageProcessors.Crop(x: crop.x, y: crop.y, width: crop.size.width, height: crop.size.height))
        }
        if options.blur > 0 { steps.append(ImageProcessors.GaussianBlur(radius: options.blur)) }
        if options.sharpen > 0 { steps.append(ImageProcessors.Sharpen(radius: options.sharpen)) }
        let ground = background(format)
        var size = plan.resultCrop?.size ?? (plan.rotation % 180 == 0 ? plan.scaled : plan.scaled.transposed)
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
            steps.append(ImageProcessors.Resize(exactly: plan.result))
        }
        if let ground { steps.append(ImageProcessors.Flatten(background: ground)) }
        return steps
    }

    private func pad(
        _ size: PixelSize, _ canvas: ImgproxyPlan.Canvas, _ ground: SRGBColor?
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
