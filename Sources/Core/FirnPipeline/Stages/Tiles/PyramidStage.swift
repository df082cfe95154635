import FirnProcessing
import FirnSync

/// Builds a pyramid: decodes the image once, row by row, and writes the tiles of all levels as they become complete.
///
/// A sequential JPEG is decoded at a quarter. The two largest levels then have no tiles: their regions are decoded from
/// the file by an index of its coded data, which is stored with the tiles.
///
/// Memory: a row of tiles of each level, and what the decoder needs. An image whose rows do not come in order
/// (interlaced, composited) is decoded as a whole first.
struct PyramidStage {
    let tiles: PyramidTiles
    let decoders: DecoderChoice
    /// The limits of builds; `nil` for those of other decodes.
    let limits: ImageLimits?

    func run(_ build: PyramidBuild, _ bytes: FetchedBytes) throws -> TilePyramid {
        let request = build.request
        let session = try decoders.open(bytes, request, build.cancellation, limits)
        let properties = try DecodeStage.properties(session)
        guard let store = tiles.caches.bitmapStore(for: request), !build.isAutomatic || request.options.writesDisk
        else {
            if build.isAutomatic { try keepIndex(of: session, properties, bytes, build) }
            throw error(.request, "the pipeline has no bitmap store for this request", request)
        }
        guard properties.vectorSize == nil else {
            throw error(.request, "a vector image needs no tiles: each region is rendered at the size wanted", request)
        }
        guard var source = tiles.pyramidSource(of: bytes, properties, request),
            let shape = PyramidShape(source.size)
        else {
            throw error(
                .source, "nothing tells whether the source changes: it is no file and sends no ETag or Last-Modified",
                request)
        }
        if let stored = store.pyramid(for: build.key),
            tiles.isSource(stored.source, of: bytes, request)
        {
            return TilePyramid(shape: stored.shape, displaySize: stored.source.displaySize, wasStored: true)
        }
        build.report(0, of: shape.size.height)
        if let path = request.identities.path, let version = source.version {
            source.digest = tiles.digest(of: path, version) ?? 0
        }
        let parts = try PyramidStage.indexed(session, source.size)
        var built = try parts.flatMap { try write($0, source, session, properties, to: store, build) }
        // A file that turned out to be unusual is decoded as a whole.
        if built == nil { built = try write((shape, 0), source, session, properties, to: store, build) }
        return TilePyramid(shape: built ?? shape, displaySize: source.displaySize, wasStored: false)
    }

    /// Keeps the index of an image in memory, for a request without a store.
    private func keepIndex(
        of session: any ImageDecodingSession, _ properties: ImageProperties, _ bytes: FetchedBytes,
        _ build: PyramidBuild
    ) throws {
        guard try PyramidStage.indexed(session, properties.size) != nil,
            let source = tiles.pyramidSource(of: bytes, properties, build.request)
        else { return }
        try forEachStrip(of: session, properties, isIndexed: true) { _, _, _ in
            if build.cancellation.isCancelled { throw CancellationError() }
        }
        // An empty index is useless, but keeps an unusual file from being tried again.
        let index = (session as? any RowStreaming)?.partIndex ?? Data()
        tiles.partIndexes.set((source, index), for: build.key)
    }

    /// Writes the tiles and the index.
    ///
    /// - Returns: `nil` if an index was expected and there is none.
    private func write(
        _ plan: (shape: PyramidShape, indexBytes: Int), _ source: PyramidSource, _ session: any ImageDecodingSession,
        _ properties: ImageProperties, to store: BitmapStore, _ build: PyramidBuild
    ) throws -> PyramidShape? {
        let (request, shape) = (build.request, plan.shape)
        let writer = try store.makePyramid(
            of: source, from: shape.firstLevel, indexBytes: plan.indexBytes, for: build.key)
        let reducer = PyramidReducer(shape, hasAlpha: properties.hasAlpha)
        try forEachStrip(of: session, properties, isIndexed: shape.firstLevel > 0) { rows, bytesPerRow, count in
            if build.cancellation.isCancelled { throw CancellationError() }
            try reducer.add(rows, bytesPerRow: bytesPerRow, count: count) { try writer.write($0, level: $1, row: $2) }
            build.report(min(reducer.rowCount << shape.firstLevel, shape.size.height), of: shape.size.height)
        }
        // The file may have changed while it was read.
        if let path = request.identities.path, tiles.caches.currentVersion(path) != source.version {
            throw error(.source, "the file has changed while it was read", request)
        }
        if build.cancellation.isCancelled { throw CancellationError() }
        let index = plan.indexBytes > 0 ? (session as? any RowStreaming)?.partIndex : Data()
        guard let index, index.count == plan.indexBytes else { return nil }
        _ = try writer.finish(isOpaque: reducer.isOpaque, index: index)
        return shape
    }

    /// Returns the shape of a pyramid without the levels that are decoded by an index of the image's parts, and the
    /// bytes of the index; `nil` if there is none.
    static func indexed(
        _ session: any ImageDecodingSession, _ size: PixelSize
    ) throws(ImageError) -> (shape: PyramidShape, indexBytes: Int)? {
        guard let bytes = try (session as? any RowStreaming)?.indexedBytes() else { return nil }
        // Decoded at a quarter.
        return PyramidShape(size, from: 2).map { ($0, bytes) }
    }

    private func forEachStrip(
        of session: any ImageDecodingSession, _ properties: ImageProperties, isIndexed: Bool,
        _ body: (UnsafeRawPointer, _ bytesPerRow: Int, _ count: Int) throws -> Void
    ) throws {
        var options = isIndexed ? DecodingOptions.indexing : DecodingOptions()
        options.appliesOrientation = false
        if let session = session as? any RowStreaming, let needed = try session.streamingBytes(for: options) {
            try decoders.checkMemory(needed, properties)
            return try session.streamRows(options, body)
        }
        try decoders.checkMemory(session.workingBytes(for: options), properties)
        let image = try session.decode(options)
        try image.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            // In parts, so that progress is reported and cancellation takes effect.
            for start in stride(from: 0, to: image.size.height, by: PyramidShape.side) {
                let count = min(PyramidShape.side, image.size.height - start)
                try body(base + start * image.bytesPerRow, image.bytesPerRow, count)
            }
        }
    }

    /// Returns the error of a failed build.
    static func error(_ cause: any Error, _ request: ImageRequest, isCancelled: Bool) -> ImageLoadingError {
        if isCancelled { return .cancelled(source: request.description) }
        if let cause = cause as? ImageLoadingError { return cause }
        if let cause = cause as? DataCachingError {
            return .init(.limit, at: .processing, of: request, cause.message, underlying: cause)
        }
        return DecodeStage.translated(cause, request)
    }

    private func error(
        _ fault: ImageLoadingError.Fault, _ message: String, _ request: ImageRequest
    ) -> ImageLoadingError {
        .init(fault, at: .processing, of: request, message)
    }
}
