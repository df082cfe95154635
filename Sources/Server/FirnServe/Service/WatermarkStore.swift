import FirnSync

/// Loads the watermarks that requests name, and keeps the recent ones in memory: 32 MiB, each up to 8 MiB.
struct WatermarkStore: Sendable {
    private let recent = Locked(
        BoundedMap<String, (watermark: Watermark, time: Int)>(limit: 32 << 20, largest: 8 << 20))

    /// Returns a watermark from memory, or draws or loads it now.
    ///
    /// - Parameters:
    ///   - revision: the last purge of its source.
    ///   - now: the seconds since 1970.
    /// - Throws: the error of the source, named as that of the watermark; status 422 for a text that cannot be drawn.
    func watermark(
        _ requested: RequestedWatermark, _ renderer: Renderer, _ settings: ServeSettings, revision: Int, now: Int
    ) async throws(ServeError) -> Watermark {
        let key = "\(requested.key)\n\(revision)"
        let known = recent.withLock { $0.value(for: key) }
        if let known, Duration.seconds(now - known.time) < settings.resultLifetime { return known.watermark }
        do {
            let watermark: Watermark
            switch requested {
            case .text(let text):
                watermark = try await BlockingCall.run { try text.drawn(settings.inTime(settings.limits), $0) }
            case .image(let source): watermark = try await renderer.watermark(source, revision).rendered()
            }
            recent.withLock { $0.store((watermark, now), for: key, cost: watermark.image.size.area * 4) }
            return watermark
        } catch { throw ServeError(ofWatermark: error) }
    }
}

extension ServeError {
    /// Creates the error of a watermark that is not allowed or cannot be loaded or drawn.
    init(ofWatermark error: any Error) {
        let cause = error as? ServeError ?? (error as? ImageError).map { ServeError(422, $0.reason) } ?? .clientClosed
        self.init(cause.status, "watermark: \(cause.message)", retryAfter: cause.retryAfter)
    }
}
