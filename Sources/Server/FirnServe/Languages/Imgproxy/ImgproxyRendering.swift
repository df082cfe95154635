/// Turns a request of imgproxy's language into a plan.
///
/// A class, since its parts are large: every suspended function that uses them would have copies of its own.
final class ImgproxyRendering: Sendable {
    let request: ImgproxyRequest
    let settings: ImgproxySettings
    let accept: String
    /// The loaded watermark that the request names; `nil` for the configured one.
    private let watermark: Watermark?

    /// The formats that are written with 16 bits per sample for `preserve_hdr`.
    private static let wide: [ImgproxyFormat] = [.png, .avif, .jxl, .tiff]
    private static let lossy: [ImgproxyFormat] = [.jpeg, .webp, .avif, .jxl]
    private var options: ImgproxyOptions { request.options }

    init(request: ImgproxyRequest, settings: ImgproxySettings, accept: String, watermark: Watermark? = nil) {
        (self.request, self.settings, self.accept, self.watermark) = (request, settings, accept, watermark)
    }

    /// The key that requests with equal results share: the options, the class of the client, and all settings that
    /// affect results.
    var key: String {
        let format = settings.negotiationKey(requested: options.format, accept: accept)
        let mark = options.watermark.opacity > 0 ? settings.watermark?.identifier ?? "" : ""
        // The source decides the format later, so the key has the quality of each.
        let qualities = ImgproxyRendering.lossy.map { String(options.quality(for: $0, settings: settings)) }
        let text = options.canonicalText(format: options.format ?? .jpeg, settings: settings)
        return "imgproxy\(settings.pathPrefix)\n\(format)/\(mark)/\(settings.limits.key)/\(settings.effort.key)/"
            + "\(qualities.joined(separator: "."))/\(text)"
    }

    /// - Parameters:
    ///   - watermark: the watermark that the request names; `nil` (the default) for none.
    ///   - plain: the request without client hints. Default: the same.
    func job(
        _ source: SourceReference, _ watermark: RequestedWatermark? = nil, plain: ImgproxyRequest? = nil
    ) -> ResultJob {
        let other = ImgproxyRendering(request: plain ?? request, settings: settings, accept: "")
        return ResultJob(
            source: source, options: key, plainOptions: other.key, page: options.page, watermark: watermark, plan: plan)
    }

    /// - Parameter watermark: the loaded watermark that the request names; `nil` for none.
    func plan(_ source: SourceInfo, _ watermark: Watermark?) throws(ServeError) -> RenderPlan {
        guard let watermark else { return try plan(source) }
        return try ImgproxyRendering(request: request, settings: settings, accept: accept, watermark: watermark)
            .plan(source)
    }

    func plan(_ source: SourceInfo) throws(ServeError) -> RenderPlan {
        // A drawing is never sent unchanged: it may have active content.
        if options.raw, source.isVector { throw ServeError(422, "raw: a drawing is not passed on") }
        if let stored = ImgproxyFormat(rawValue: source.format.rawValue), stored != .svg,
            options.raw || options.skipsProcessing(source: stored)
        {
            var plan = RenderPlan(decodedSize: source.size, format: source.format)
            plan.passesSource = true
            return plan
        }
        let frames = frames(of: source)
        var format = resultFormat(source, isAnimated: frames > 1)
        let isAnimated = frames > 1 && format.supportsAnimation
        var result: RenderPlan
        // The stored orientation, if the address asks for it.
        let undone = options.autoRotate || source.orientation == .up ? nil : StoredOrientation(source.orientation)
        let size =
            undone != nil && source.orientation.transposes ? source.extent.transposed : source.extent
        if format == .avif, try plan(size, format).result.area > settings.limits.avifPixels {
            format = .webp
        }
        // Frames of an animation would be trimmed to different sizes.
        if let trim = options.trim, !isAnimated {
            // The geometry depends on the trimmed size, which needs the whole image.
            result = RenderPlan(decodedSize: try untrimmedSize(source, format), format: format.imageFormat)
            let step = ImageProcessors.Trim(
                tolerance: min(trim.tolerance, 255), color: trim.color, equalHorizontal: trim.equalHorizontal,
                equalVertical: trim.equalVertical)
            result.processors = [TrimStep(rendering: self, trim: step, source: source, format: format)]
        } else {
            var plan = try plan(size, format)
            let decoded = undone == nil ? plan.scaled : source.orientation.displaySize(of: plan.scaled)
            result = RenderPlan(decodedSize: decoded, format: format.imageFormat)
            if isAnimated, plan.result.area <= settings.limits.resultPixels / frames {
                result.frames = frames
                // All frames show the same part.
                plan.isCropSmart = false
                plan.isResultCropSmart = false
            }
            if let crop = plan.crop, !plan.isCropSmart, undone == nil {
                result.region = ImageRegion(crop)
            } else if plan.crop != nil {
                // The content decides, so the whole image is decoded.
                try checkWhole(source)
                result.decodedSize = source.size
                result.processors = crop(plan)
            }
            result.processors += steps(plan, format)
        }
        if let undone { result.processors.insert(undone, at: 0) }
        if options.preserveHDR, source.bitDepth > 8, ImgproxyRendering.wide.contains(format) {
            result.pixelFormat = .rgba16Straight
        }
        result.quality = quality(format)
        result.effort = settings.effort
        result.maximumBytes = options.maxBytes
        result.keepsMetadata = !options.stripMetadata
        if options.stripMetadata, options.keepCopyright { result.metadata.exif = source.copyright?.exif }
        result.keepsColorProfile = !options.stripColorProfile
        result.takesEmbeddedPreview = options.enforceThumbnail
        result.smallQuality = quality(.jpeg)
        return result
    }

    /// Returns the size at which a source is decoded before it is trimmed.
    ///
    /// A drawing is rendered at twice the size of its result without the trim. With a crop, it has its own size, in
    /// whose pixels the crop counts.
    private func untrimmedSize(_ source: SourceInfo, _ format: ImgproxyFormat) throws(ServeError) -> PixelSize {
        guard source.isVector else { return source.size }
        guard options.crop == nil else {
            try checkWhole(source)
            return source.size
        }
        let scaled = try plan(source.extent, format).scaled
        let most = (Double(settings.limits.resultPixels) / Double(max(1, scaled.area))).squareRoot()
        func side(_ length: Int) -> Int { max(1, ImgproxyRounding.integer(Double(length) * min(2, most))) }
        return PixelSize(width: side(scaled.width), height: side(scaled.height))
    }

    /// Rejects a drawing whose stated size exceeds the limit.
    private func checkWhole(_ source: SourceInfo) throws(ServeError) {
        guard !source.isVector || source.size.area <= settings.limits.resultPixels else {
            throw ServeError(422, "source: \(source.size.width)x\(source.size.height) is too large to be drawn whole")
        }
    }

    /// Returns the quality of a format, 0 to 1.
    private func quality(_ format: ImgproxyFormat) -> Double {
        Double(min(max(options.quality(for: format, settings: settings), 1), 100)) / 100
    }

    /// Returns the geometry for an upright, trimmed source.
    func plan(_ source: ImageExtent, _ format: ImgproxyFormat) throws(ServeError) -> ImgproxyPlan {
        try ImgproxyGeometry(options: options, limits: settings.limits).plan(source, format: format)
    }

    // MARK: Format

    /// Returns the number of served frames: all up to the limit, or 1 if they have too many pixels.
    private func frames(of source: SourceInfo) -> Int {
        let limits = settings.limits
        let count = min(source.frameCount, max(1, limits.animationFrames))
        return Double(source.size.area) * Double(count) <= limits.sourceMegapixels * 1e6 ? count : 1
    }

    private func resultFormat(_ source: SourceInfo, isAnimated: Bool) -> ImgproxyFormat {
        let stored = ImgproxyFormat(rawValue: source.format.rawValue) ?? .png
        // Padding, canvas and round corners are transparent unless there is a background.
        let isExtended = options.padding != .init() || options.extend.isEnabled || options.cornerRadius > 0
        let format = settings.format(
            requested: options.format, accept: accept, source: stored, isAnimated: isAnimated,
            hasAlpha: options.background == nil && (source.hasAlpha || isExtended))
        return format == .svg && options.format == nil ? settings.accepted(accept) ?? .png : format
    }

    // MARK: Steps

    /// Returns the crop of a source that was decoded whole.
    func crop(_ plan: ImgproxyPlan) -> [any ImageProcessing] {
        plan.crop.map { [cropping($0, isSmart: plan.isCropSmart)] } ?? []
    }

    private func cropping(_ area: PixelArea, isSmart: Bool) -> ImageProcessors.Crop {
        isSmart
            ? ImageProcessors.Crop(size: area.size, anchor: .attention)
            : ImageProcessors.Crop(x: area.x, y: area.y, width: area.size.width, height: area.size.height)
    }

    /// Returns the steps after the crop of the source.
    func steps(_ plan: ImgproxyPlan, _ format: ImgproxyFormat) -> [any ImageProcessing] {
        var steps: [any ImageProcessing] = [ImageProcessors.Resize(exactly: plan.scaled, upscale: true)]
        if let turn = ImageProcessors.Rotate.Turn(rawValue: options.rotation) {
            steps.append(ImageProcessors.Rotate(turn))
        }
        if options.flipHorizontal { steps.append(ImageProcessors.Flip(.horizontal)) }
        if options.flipVertical { steps.append(ImageProcessors.Flip(.vertical)) }
        if let crop = plan.resultCrop { steps.append(cropping(crop, isSmart: plan.isResultCropSmart)) }
        if options.blur > 0 { steps.append(ImageProcessors.GaussianBlur(radius: options.blur)) }
        if options.sharpen > 0 { steps.append(ImageProcessors.Sharpen(radius: options.sharpen)) }
        if options.pixelate > 1 {
            steps.append(ImageProcessors.Pixelate(side: min(options.pixelate, ImageProcessors.Pixelate.longestSide)))
        }
        steps += options.colors.steps
        if options.cornerRadius > 0 {
            steps.append(ImageProcessors.RoundedCorners(radius: Double(options.cornerRadius) * plan.dpr))
        }
        // The color below transparent pixels.
        let ground = options.background ?? (format.supportsAlpha ? nil : .white)
        func pad(_ top: Int, _ left: Int, _ bottom: Int, _ right: Int) {
            steps.append(
                ImageProcessors.Pad(top: top, left: left, bottom: bottom, right: right, color: ground ?? .clear))
        }
        var size = plan.resultCrop?.size ?? (options.rotation % 180 == 0 ? plan.scaled : plan.scaled.transposed)
        for canvas in [plan.extend, plan.extendAspectRatio].compactMap({ $0 }) {
            let (right, bottom) = (canvas.size.width - size.width, canvas.size.height - size.height)
            pad(max(0, canvas.y), max(0, canvas.x), max(0, bottom - canvas.y), max(0, right - canvas.x))
            size = canvas.size
        }
        let edges = plan.padding
        if edges != ImgproxyOptions.Padding() {
            pad(edges.top, edges.left, edges.bottom, edges.right)
        }
        if plan.result != plan.unlimited { steps.append(ImageProcessors.Resize(exactly: plan.result)) }
        if let ground { steps.append(ImageProcessors.Flatten(background: ground)) }
        if options.watermark.opacity > 0, let watermark = watermark ?? settings.watermark {
            steps.append(WatermarkStep(watermark: watermark, options: options.watermark, dpr: plan.dpr))
        }
        return steps
    }
}

/// Turns an upright image back to its stored orientation.
struct StoredOrientation: ImageProcessing {
    private let inverse: ImageOrientation

    /// - Parameter orientation: the orientation that was applied.
    init(_ orientation: ImageOrientation) { inverse = orientation.inverse }

    var identifier: String { "serve/stored?o=\(inverse.rawValue)" }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        var container = container
        container.image = try container.image.oriented(inverse)
        return container
    }
}

/// Trims an image and runs the remaining steps of a request, which depend on the trimmed size.
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
            throw ImageError(.limit, at: .processing, "trim: \(error.message)")
        }
        let steps = rendering.crop(plan) + rendering.steps(plan, format)
        return try ImageProcessors.Composition(steps).process(trimmed, context: context)
    }

    /// Returns the trimmed part in pixels of the source, since a drawing is rendered larger than its stated size.
    private func extent(of trimmed: PixelSize, in whole: PixelSize) -> ImageExtent {
        guard let vector = source.vectorSize, !whole.isEmpty else { return ImageExtent(trimmed) }
        let width = Double(trimmed.width) * vector.width / Double(whole.width)
        let height = Double(trimmed.height) * vector.height / Double(whole.height)
        let pixels = PixelSize(
            width: max(1, ImgproxyRounding.round(width)), height: max(1, ImgproxyRounding.round(height)))
        return ImageExtent(pixels, vector: VectorSize(width: width, height: height))
    }
}
