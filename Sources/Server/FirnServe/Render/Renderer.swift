import Firn
import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FoundationEssentials
import FirnSync

/// Makes a result of a source: loads, describes, plans, decodes, processes, encodes.
struct Renderer: Sendable {
    let pipeline: ImagePipeline
    let limits: ImageLimits
    /// Decodes parts of large files.
    let parts: ImagePipeline
    let partLimits: ImageLimits
    let encoding: EncodingGate

    /// - Parameter known: the description of the source, if it was made before.
    func render(
        _ job: ResultJob, _ known: SourceInfo?
    ) async throws(ServeError) -> (data: Data, mediaType: String) {
        let content = try await load(job.source)
        let source: SourceInfo
        if let known { source = known } else { source = try describe(content, takesParts: job.takesParts) }
        var plan = try job.plan(source)
        let mediaType = plan.output.mediaType ?? plan.format.mediaType ?? "application/octet-stream"
        if plan.output == .information { return (source.json, mediaType) }
        if plan.passesSource { return (try await bytes(of: content), mediaType) }
        guard ImageEncoders.encoder(for: plan.format) != nil else {
            throw ServeError(422, "format: \(plan.format.rawValue) is not written")
        }
        if plan.frames > 1, plan.output == .image { return (try await animation(content, plan), mediaType) }
        var request =
            switch content {
            case .file(let path): ImageRequest(path: path, processors: plan.processors)
            case .bytes(let data): ImageRequest(id: job.source.key, data: data, processors: plan.processors)
            }
        // Order: tiles are on disk, so only the pipeline that has none is kept from it.
        request.options = job.takesParts ? .disableMemoryCache : [.disableMemoryCache, .disableDiskCache]
        request.targetSize = TargetSize(plan.decodedSize, mode: .fill)
        request.region = plan.region
        request.pixelFormat = plan.pixelFormat
        if plan.keepsColorProfile { request.options.insert(.keepColorProfile) }
        if plan.takesEmbeddedPreview { request.options.insert(.allowEmbeddedPreview) }
        let image = try await decode(request, by: job.takesParts || source.isVector ? parts : pipeline)
        if plan.output != .image { return (try plan.output.placeholder(of: image), mediaType) }
        if plan.keepsMetadata { plan.exif = try? opened(content, limits).properties?.exif }
        if let small = plan.small, plan.format == .avif, min(image.size.width, image.size.height) < small.side {
            plan.format = image.isOpaque ? .jpeg : .png
            plan.quality = small.quality
            return (try await encode(image, plan), plan.format.mediaType ?? mediaType)
        }
        return (try await encode(image, plan), mediaType)
    }

    /// Describes a source.
    ///
    /// - Parameter takesParts: whether the limits are those of files of which parts are decoded.
    func describe(_ source: SourceReference, takesParts: Bool) async throws(ServeError) -> SourceInfo {
        try describe(try await load(source), takesParts: takesParts)
    }

    private func decode(_ request: ImageRequest, by pipeline: ImagePipeline) async throws(ServeError) -> Bitmap {
        do throws(ImageLoadingError) {
            return try await pipeline.image(for: request)
        } catch {
            throw ServeError(error)
        }
    }

    /// What is decoded: a file, which is read where that is needed, or bytes.
    private enum Loaded {
        case file(path: String)
        case bytes(Data)
    }

    /// Loads the bytes of a URL; equal addresses share one transfer.
    private func load(_ source: SourceReference) async throws(ServeError) -> Loaded {
        switch source {
        case .file(let path, _): .file(path: path)
        case .http(let url, _), .s3(let url, _): .bytes(try await data(ImageRequest(url: url)))
        }
    }

    private func bytes(of content: Loaded) async throws(ServeError) -> Data {
        switch content {
        case .file(let path): try await data(ImageRequest(path: path))
        case .bytes(let data): data
        }
    }

    private func data(_ request: ImageRequest) async throws(ServeError) -> Data {
        do throws(ImageLoadingError) {
            return try await pipeline.data(for: request).0
        } catch {
            throw ServeError(error)
        }
    }

    private func describe(_ content: Loaded, takesParts: Bool) throws(ServeError) -> SourceInfo {
        let limits = takesParts ? partLimits : limits
        let decoder = try opened(content, limits)
        guard let format = decoder.format, let size = decoder.size else { throw ServeError(422, "not an image") }
        let vectorSize = decoder.properties?.extent.vector
        // The size that a drawing states is no pixels yet.
        guard vectorSize != nil || size.area <= limits.maximumPixels else {
            throw ServeError(
                422, "declares \(size.width)x\(size.height) pixels; the limit is \(limits.maximumPixels)")
        }
        return SourceInfo(
            format: format, size: decoder.orientation.displaySize(of: size), vectorSize: vectorSize,
            orientation: decoder.orientation,
            hasAlpha: decoder.frameHasAlpha(at: 0), bitDepth: decoder.properties?.bitDepth ?? 8,
            frameCount: decoder.properties?.frameDurations == nil ? 1 : max(1, decoder.frameCount),
            copyright: decoder.properties.flatMap { properties in
                CopyrightNotice(properties) { head(of: content) }
            })
    }

    /// The most bytes of a file in which its copyright notice is looked for.
    private static let head = 1 << 18

    /// Returns the first bytes of a source; none if they cannot be read.
    private func head(of content: Loaded) -> Data {
        switch content {
        case .file(let path):
            (try? LocalFileSystem().open(path).read(at: 0, count: Self.head)) ?? Data()
        case .bytes(let data): data.prefix(Self.head)
        }
    }

    /// Returns a decoder that has all bytes of a source.
    private func opened(_ content: Loaded, _ limits: ImageLimits) throws(ServeError) -> ImageDecoder {
        do {
            let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
            switch content {
            case .file(let path): try decoder.append(contentsOf: LocalFileSystem().open(path))
            case .bytes(let data): try decoder.append(data)
            }
            decoder.finish()
            if let error = decoder.error { throw error }
            return decoder
        } catch let error as ImageDecodingError {
            throw ServeError(422, error.message)
        } catch {
            throw ServeError(404, "there is no such source")
        }
    }

    private func encode(_ image: Bitmap, _ plan: RenderPlan) async throws(ServeError) -> Data {
        try await fitted(plan) { quality throws(ServeError) in
            guard let encoder = ImageEncoders.encoder(for: plan.format, quality: quality) else {
                throw ServeError(422, "format: \(plan.format.rawValue) is not written")
            }
            return try await encoding.encode(image, by: encoder, EncodingMetadata(exif: plan.exif))
        }
    }

    /// Decodes, processes and encodes an animation frame by frame.
    private func animation(_ content: Loaded, _ plan: RenderPlan) async throws(ServeError) -> Data {
        try await fitted(plan) { quality throws(ServeError) in
            let writer = AnimationWriter(plan: plan, quality: quality, limits: limits)
            return try await encoding.run { flag throws(ServeError) in
                try writer.data(opened(content, limits), flag)
            }
        }
    }

    /// Encodes; with a limit of bytes at lower and lower quality, as long as that is above 0.1.
    private func fitted(
        _ plan: RenderPlan, _ encode: (Double?) async throws(ServeError) -> Data
    ) async throws(ServeError) -> Data {
        var quality = plan.quality
        while true {
            let data = try await encode(quality)
            let isLossy = [.jpeg, .webp, .avif, .jxl].contains(plan.format)
            guard plan.maximumBytes > 0, isLossy, data.count > plan.maximumBytes, let last = quality, last > 0.1 else {
                return data
            }
            let excess = Double(data.count) / Double(plan.maximumBytes)
            quality = max(0.01, last * (excess > 3 ? 0.25 : excess > 1.5 ? 0.5 : 0.75))
        }
    }
}
