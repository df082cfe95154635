import Firn
import FirnReport
import FirnSync
import FoundationEssentials

extension LoadRun {
    /// The bytes that were loaded before decoding.
    private struct Original: Sendable {
        let data: Data
        /// The response that states the origin of the bytes.
        let response: ImageResponse
        let bytes: Int
    }

    /// Loads one source and writes its image.
    ///
    /// - Parameters:
    ///   - name: the source for messages.
    ///   - stem: the path of the output file without extension; `nil` if there is no choice.
    func finding(of source: LoadSource, _ name: String, stem: String?) async throws -> Finding {
        if let (store, size) = desktop { return try await thumbnail(of: source, name, in: store, size) }
        if sheet == nil, let path = output?.finished(source, at: stem) { return .kept(path, name) }
        return try await load(source, name) { try write($0, $1, of: source, to: stem) }
    }

    /// Makes the thumbnail of a file for all programs of the desktop, unless there is one.
    private func thumbnail(
        of source: LoadSource, _ name: String, in store: ThumbnailStore, _ size: ThumbnailStore.Size
    ) async throws -> Finding {
        let file = source.path.map { URL(filePath: LoadSource.absolute($0)) }
        guard let file, let path = store.path(for: file, size: size) else {
            throw ImageFault("request", "only files on this machine have thumbnails in the desktop's store")
        }
        let made = Locked<Result<Finding, ImageFault>?>(nil)
        let refusal = Locked<DataFileError?>(nil)
        let png = try await store.data(
            for: file, size: size, notStored: { error in refusal.withLock { $0 = error } }
        ) {
            do {
                let png = Locked(Data())
                let image = try await load(source, name) { response, _ in
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
        return .kept(path, name)
    }

    /// - Parameter write: writes the image, or the original bytes if they were loaded before. Blocks.
    private func load(
        _ source: LoadSource, _ name: String,
        _ write: @escaping @Sendable (ImageResponse, Data?) throws -> OutputPlaces.Place?
    ) async throws -> Finding {
        let start = ContinuousClock.now
        let original = needsBytes(of: source) ? try await original(source) : nil
        var request = source.request
        if let original { request = ImageRequest(id: "firn:\(source.name)", data: original.data) }
        request.region = region
        request.targetSize = targetSize(try ownExtent(source, original?.data))
        request.processors = processors
        if allowsPartial { request.options.insert(.allowPartial) }
        let task = setting.pipeline.imageTask(with: request)
        let response = try await task.response
        let duration = start.duration(to: .now)
        let bytes = source.fileSize ?? original?.bytes ?? task.currentProgress.completed
        let origin = original?.response ?? response
        // Encoding and writing block, so they run on other threads than Swift's.
        return try await BlockingCall.run { _ in
            let written = try write(response, original?.data)
            let load = Finding.Load(
                bytes: bytes, duration: duration, metrics: origin.metrics, format: response.container.format?.rawValue,
                cell: try cellSize.map { try response.image.fitted($0) })
            return finding(response, written, load, name, from: origin.cacheType?.rawValue ?? source.place.rawValue)
        }
    }

    /// - Parameter origin: `network`, `file`, `data`, or the name of the cache.
    private func finding(
        _ response: ImageResponse, _ written: OutputPlaces.Place?, _ load: Finding.Load, _ name: String,
        from origin: String
    ) -> Finding {
        let size = response.image.size
        let facts = ["\(size)"] + (load.format == nil ? ["?"] : []) + load.facts + ["from \(origin)"]
        var line = "\(name): \(facts.joined(separator: ", "))"
        if let written, let path = written.path {
            line += written.isKept ? "; \(path) was there and stays" : " -> \(path)"
        }
        var finding = Finding(
            fields: [
                ("format", JSONValue(load.format)), ("width", .int(size.width)), ("height", .int(size.height)),
                ("from", .string(origin)), ("bytes", .int(load.bytes)), ("ms", JSONValue(milliseconds: load.duration)),
                ("out", JSONValue(written?.path)),
            ],
            lines: [line], damage: response.container.damage.map { ImageFault.incomplete($0) },
            flattened: written?.isFlattened == true ? 1 : 0, isKept: written?.isKept == true, load: load)
        if finding.isKept { finding.fields.append(("kept", true)) }
        if finding.flattened > 0 { finding.fields.append(("flattened", true)) }
        if let damage = finding.damage { finding.fields.append(("damage", .string(damage))) }
        if let metrics = load.metrics { finding.fields.append(("transfer", metrics.json)) }
        return finding
    }

    /// Returns whether an image's bytes are loaded before it is decoded: to write them unchanged, or to read its size.
    /// Files are read twice instead.
    private func needsBytes(of source: LoadSource) -> Bool {
        source.path == nil && (output?.copiesOriginals == true || needsImageSize)
    }

    /// True if the target size depends on the image's own size.
    private var needsImageSize: Bool { size?.needsImageSize == true || drawingFactor != nil }

    /// Returns the source's bytes, loaded by the pipeline with its caches and limits.
    private func original(_ source: LoadSource) async throws -> Original {
        let task = setting.pipeline.dataTask(with: source.request)
        let data = try await task.response.data
        // The cache that had the bytes.
        let response = try await task.work.response
        return Original(data: data, response: response, bytes: task.currentProgress.completed)
    }

    /// Returns the size of the image, or of its region, if the target depends on it.
    private func ownExtent(_ source: LoadSource, _ data: Data?) throws -> ImageExtent? {
        guard needsImageSize else { return nil }
        var source = source
        source.data = data
        let whole = try ImageFile(source, limits: options.limits?.limits ?? ImageLimits()).properties.extent
        guard let region else { return whole }
        // A region without a pixel fails in the pipeline, with the reason.
        return region.resolved(in: whole.pixels).map { whole.part($0.size) }
    }

    /// Returns the target size for the pipeline. A contact sheet alone needs only the pixels of its cells.
    ///
    /// - Parameter own: the image's own size, if it is known.
    private func targetSize(_ own: ImageExtent?) -> TargetSize? {
        if let size { return size.target(for: own, mode: mode) }
        if let target = TargetSize(scaling: own, by: drawingFactor) { return target }
        // Processors may depend on all pixels of the image.
        return output == nil && processors.isEmpty ? cellSize.map { TargetSize($0) } : nil
    }

    private func write(
        _ response: ImageResponse, _ original: Data?, of source: LoadSource, to stem: String?
    ) throws -> OutputPlaces.Place? {
        guard let output else { return nil }
        let format = response.container.format
        if output.copies(format), let data = try original ?? source.data ?? source.path.map(LocalFileSystem().read) {
            return try output.copy(data, format: format, of: source, to: stem)
        }
        return try output.write(response.image, format: format, of: source, to: stem)
    }
}

extension Bitmap {
    fileprivate func fitted(_ size: PixelSize) throws -> Bitmap {
        let fitted = TargetSize(size).resolved(for: self.size)
        return fitted == self.size ? self : try resized(to: fitted)
    }
}
