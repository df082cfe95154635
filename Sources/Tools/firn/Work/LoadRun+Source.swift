import FirnSync
import FoundationEssentials

extension LoadRun {
    /// An image that was loaded and not yet written.
    private struct Loaded: Sendable {
        let response: ImageResponse
        /// The bytes, if they were loaded before they were decoded.
        let original: Data?
        /// `network`, `file`, `data`, or the name of the cache.
        let origin: String
        let facts: Finding.Load
    }

    /// Loads one source and writes its image.
    ///
    /// - Parameters:
    ///   - name: the source for messages.
    ///   - stem: the path of the output file without extension; `nil` if there is no choice.
    func finding(of source: LoadSource, _ name: String, stem: String?) async throws -> Finding {
        if let (store, size) = desktop { return try await thumbnail(of: source, name, in: store, size) }
        if sheet == nil, let path = output?.finished(source, at: stem) { return .kept(path, name) }
        let loaded = try await load(source)
        // Encoding and writing block, so they do not run on Swift's threads.
        return try await BlockingCall.run { _ in
            let response = loaded.response
            let written = try output?.write(
                response.image, original: loaded.original, format: response.container.format, of: source, to: stem)
            var finding = finding(loaded, written, name)
            finding.load?.cell = try cellSize.map {
                try response.image.resized(to: TargetSize($0).resolved(for: response.image.size))
            }
            return finding
        }
    }

    /// Makes the thumbnail of a file for the desktop's programs, unless there is one.
    private func thumbnail(
        of source: LoadSource, _ name: String, in store: ThumbnailStore, _ size: ThumbnailStore.Size
    ) async throws -> Finding {
        let file = source.path.map { URL(filePath: LoadSource.absolute($0)) }
        guard let file, let path = store.path(for: file, size: size) else {
            throw ImageFault("request", "only files on this machine have thumbnails in the desktop's store")
        }
        let made = Locked<(finding: Finding?, fault: ImageFault?)>((nil, nil))
        let png = try await store.data(for: file, size: size) { error in
            made.withLock { $0.fault = $0.fault ?? ImageFault("source", "the thumbnail was not stored: \(error)") }
        } orMadeBy: {
            do {
                let loaded = try await load(source)
                let png = try await BlockingCall.run { _ in try OutputFormat.png.encode(loaded.response.image) }
                made.withLock { $0.finding = finding(loaded, OutputPlaces.Place(path: path), name) }
                return png
            } catch {
                let fault = ImageFault(error)
                // Other failures may be temporary: the file may become readable, or the limits be raised.
                guard ["data", "unsupported"].contains(fault.fault) else { throw error }
                made.withLock { $0.fault = fault }
                return nil
            }
        }
        let result = made.withLock { $0 }
        if let fault = result.fault { throw fault }
        if let finding = result.finding { return finding }
        guard png != nil else { throw ImageFault("data", "could not be decoded before, and has not changed") }
        return .kept(path, name)
    }

    private func load(_ source: LoadSource) async throws -> Loaded {
        let start = ContinuousClock.now
        let (pipeline, needsBytes) = (setting.pipeline, needsBytes(of: source))
        // The bytes, loaded with the pipeline's caches and limits.
        let bytes = needsBytes ? pipeline.dataTask(with: source.request) : nil
        let original = try await bytes?.response.data
        var request = source.request
        if let original { request = ImageRequest(id: "firn:\(source.name)", data: original) }
        request.region = region
        request.targetSize = targetSize(try ownExtent(source, original))
        request.processors = processors
        if allowsPartial { request.options.insert(.allowPartial) }
        let task = pipeline.imageTask(with: request)
        let response = try await task.response
        let duration = start.duration(to: .now)
        // The first response states the origin of the bytes, such as a cache.
        let first = try await bytes?.work.response ?? response
        let count = source.fileSize ?? (bytes?.currentProgress ?? task.currentProgress).completed
        return Loaded(
            response: response, original: original, origin: first.cacheType?.rawValue ?? source.place.rawValue,
            facts: Finding.Load(
                bytes: count, duration: duration, metrics: first.metrics,
                format: response.container.format?.rawValue))
    }

    private func finding(_ loaded: Loaded, _ written: OutputPlaces.Place?, _ name: String) -> Finding {
        let (response, origin, load) = (loaded.response, loaded.origin, loaded.facts)
        let size = response.image.size
        let facts = ["\(size)"] + (load.format == nil ? ["?"] : []) + load.facts + ["from \(origin)"]
        var line = "\(name): \(facts.joined(separator: ", "))"
        if let written {
            line += written.isKept ? "; \(written.path) was there and stays" : " -> \(written.path)"
        }
        let damage = response.container.damage.map { ImageFault.incomplete($0) }
        let isKept = written?.isKept == true
        let isFlattened = written?.isFlattened == true
        return Finding(
            fields: JSONValue.fields([
                "format": JSONValue(load.format), "width": size.width, "height": size.height, "from": origin,
                "bytes": load.bytes, "ms": JSONValue(milliseconds: load.duration), "out": JSONValue(written?.path),
                "kept": isKept ? true : nil, "flattened": isFlattened ? true : nil, "damage": damage,
                "transfer": load.metrics?.json,
            ]),
            lines: [line], damage: damage, flattened: isFlattened ? 1 : 0, isKept: isKept, load: load)
    }

    /// Returns whether the bytes are loaded before decoding: to write them unchanged or to read the image's size. Files
    /// are read twice instead.
    private func needsBytes(of source: LoadSource) -> Bool {
        source.path == nil && (output?.copiesOriginals == true || needsImageSize)
    }

    /// True if the target size depends on the size of the image.
    private var needsImageSize: Bool { size?.needsImageSize == true || drawingFactor != nil }

    /// Returns the size of the image or its region, if the target depends on it.
    private func ownExtent(_ source: LoadSource, _ data: Data?) throws -> ImageExtent? {
        guard needsImageSize else { return nil }
        var source = source
        source.data = data
        let whole = try ImageFile(source, limits: options.limits?.limits ?? ImageLimits()).properties.extent
        guard let region else { return whole }
        // The pipeline reports an empty region.
        return region.resolved(in: whole.pixels).map { whole.part($0.size) }
    }

    /// Returns the target size for the pipeline. A contact sheet alone needs only the pixels of its cells.
    ///
    /// - Parameter own: the size of the image, if it is known.
    private func targetSize(_ own: ImageExtent?) -> TargetSize? {
        if let size { return size.target(for: own, mode: mode) }
        if let target = TargetSize(scaling: own, by: drawingFactor) { return target }
        // Processors may depend on all pixels.
        return output == nil && processors.isEmpty ? cellSize.map { TargetSize($0) } : nil
    }
}
