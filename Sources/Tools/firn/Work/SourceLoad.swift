import Firn
import FirnReport
import FirnSync
import FoundationEssentials

/// The work for every image of a batch.
struct LoadPlan: Sendable {
    /// The part of every image; `nil` for all of it.
    var region: ImageRegion?
    /// The target size; `nil` for all pixels.
    var size: SizeArgument?
    /// Times the own size of a drawing; `nil` for 1.
    var drawingFactor: Double?
    /// The meaning of a size with both sides.
    var mode = ImageContentMode.fit
    var processors: [any ImageProcessing] = []
    /// The output; `nil` to write no images.
    var output: ImageOutput?
    /// The size of a contact sheet's cell; `nil` for no sheet.
    var sheetSize: PixelSize?
    /// The limits of files that are described here.
    var limits = ImageLimits()
    /// True if an image that is cut short or damaged is shown as far as it goes. Default: no.
    var allowsPartial = false
    /// The store of the desktop in which thumbnails are kept, and their size; `nil` to write ``output``.
    var desktop: (store: ThumbnailStore, size: ThumbnailStore.Size)?

    /// Returns whether an image's bytes are loaded before it is decoded: to write them unchanged, or to read its size.
    /// Files are read twice instead.
    func needsBytes(of source: LoadSource) -> Bool {
        source.path == nil && (output?.copiesOriginals == true || needsImageSize)
    }

    /// True if the target size depends on the image's own size.
    var needsImageSize: Bool { size?.needsImageSize == true || drawingFactor != nil }

    /// Returns the target size for the pipeline. A contact sheet alone needs only the pixels of its cells.
    ///
    /// - Parameter own: the image's own size, if it is known.
    func requested(_ own: ImageExtent?) -> TargetSize? {
        if let size { return size.target(for: own, mode: mode) }
        if let target = TargetSize(scaling: own, by: drawingFactor) { return target }
        // Processors may depend on all pixels of the image.
        return output == nil && processors.isEmpty ? sheetSize.map { TargetSize($0) } : nil
    }
}

/// Loads one source and applies the plan to its image.
struct SourceLoad: Sendable {
    let source: LoadSource
    /// Path of the output file without extension; `nil` if there is no choice.
    let stem: String?
    let plan: LoadPlan
    let pipeline: ImagePipeline

    /// The bytes that were loaded before decoding.
    private struct Original: Sendable {
        let data: Data
        /// The response that states the origin of the bytes.
        let response: ImageResponse
        let bytes: Int
    }

    func run() async throws -> LoadedImage {
        guard let (store, size) = plan.desktop else { return try await load(write) }
        return try await thumbnail(in: store, size)
    }

    /// Makes the thumbnail of a file for all programs of the desktop, unless there is one.
    private func thumbnail(in store: ThumbnailStore, _ size: ThumbnailStore.Size) async throws -> LoadedImage {
        let file = source.path.map { URL(filePath: LoadSource.absolute($0)) }
        guard let file, let path = store.path(for: file, size: size) else {
            throw ImageFault("request", "only files on this machine have thumbnails in the desktop's store")
        }
        let made = Locked<Result<LoadedImage, ImageFault>?>(nil)
        let refusal = Locked<DataFileError?>(nil)
        let png = try await store.data(
            for: file, size: size, notStored: { error in refusal.withLock { $0 = error } }
        ) {
            do {
                let png = Locked(Data())
                let image = try await load { response, _ in
                    let data = try OutputFormat.png.encode(response.image)
                    png.withLock { $0 = data }
                    return OutputPlaces.Place(path: path)
                }
                made.withLock { $0 = .success(image) }
                return png.withLock { $0 }
            } catch {
                let fault = ImageFault(error)
                // Others may pass: the file may be readable later, or the limits be higher.
                guard ["data", "unsupported"].contains(fault.fault) else { throw error }
                made.withLock { $0 = .failure(fault) }
                return nil
            }
        }
        if let made = try made.withLock({ $0 })?.get() {
            if let error = refusal.withLock({ $0 }) {
                throw ImageFault("source", "the thumbnail was not stored: \(error)")
            }
            return made
        }
        guard png != nil else { throw ImageFault("data", "could not be decoded before, and has not changed") }
        return .kept(path)
    }

    private func load(
        _ write: @escaping @Sendable (ImageResponse, Data?) throws -> OutputPlaces.Place?
    ) async throws -> LoadedImage {
        if plan.sheetSize == nil, let path = plan.output?.finished(source, at: stem) { return .kept(path) }
        let start = ContinuousClock.now
        let original = plan.needsBytes(of: source) ? try await original() : nil
        var request = source.request
        if let original { request = ImageRequest(id: "firn:\(source.name)", data: original.data) }
        request.region = plan.region
        request.targetSize = plan.requested(try ownExtent(original?.data))
        request.processors = plan.processors
        if plan.allowsPartial { request.options.insert(.allowPartial) }
        let task = pipeline.imageTask(with: request)
        let response = try await task.response
        let duration = start.duration(to: .now)
        let bytes = source.fileSize ?? original?.bytes ?? task.currentProgress.completed
        let loaded = original?.response ?? response
        // Encoding and writing block, so they run on other threads than Swift's.
        return try await BlockingCall.run { _ in
            .loaded(
                LoadedImage.Facts(
                    size: response.image.size, format: response.container.format,
                    origin: loaded.cacheType?.rawValue ?? source.place.rawValue, bytes: bytes, duration: duration,
                    metrics: loaded.metrics, damage: response.container.damage.map { ImageFault.incomplete($0) },
                    written: try write(response, original?.data),
                    cell: try plan.sheetSize.map { try cell(response.image, fitting: $0) }))
        }
    }

    /// Returns the source's bytes, loaded by the pipeline with its caches and limits.
    private func original() async throws -> Original {
        let task = pipeline.dataTask(with: source.request)
        let data = try await task.response.data
        // The cache that had the bytes.
        let response = try await task.work.response
        return Original(data: data, response: response, bytes: task.currentProgress.completed)
    }

    /// Returns the size of the image, or of its region, if the target depends on it.
    private func ownExtent(_ data: Data?) throws -> ImageExtent? {
        guard plan.needsImageSize else { return nil }
        let file =
            try data.map { try ImageFile($0, limits: plan.limits) }
            ?? source.path.map { try ImageFile($0, limits: plan.limits) }
        guard let region = plan.region, let whole = file?.properties.extent else { return file?.properties.extent }
        // A region without a pixel fails in the pipeline, with the reason.
        return region.resolved(in: whole.pixels).map { whole.part($0.size) }
    }

    private func write(_ response: ImageResponse, _ original: Data?) throws -> OutputPlaces.Place? {
        guard let output = plan.output else { return nil }
        let format = response.container.format
        if output.copies(format), let data = try original ?? source.data ?? source.path.map(LocalFileSystem().read) {
            return try output.copy(data, format: format, of: source, to: stem)
        }
        return try output.write(response.image, format: format, of: source, to: stem)
    }

    private func cell(_ image: Bitmap, fitting size: PixelSize) throws -> Bitmap {
        let fitted = TargetSize(size).resolved(for: image.size)
        return fitted == image.size ? image : try image.resized(to: fitted)
    }
}
