import Firn
import FirnSync

/// Loads the watermarks that requests name, and keeps the recent ones in memory: 32 MiB, each up to 8 MiB.
struct WatermarkStore: Sendable {
    private let recent = Locked(
        BoundedMap<String, (watermark: Watermark, time: Int)>(limit: 32 << 20, largest: 8 << 20))

    /// Returns a watermark from memory, or draws or loads it now.
    ///
    /// - Parameter now: the seconds since 1970.
    /// - Throws: the error of the source, named as that of the watermark; status 422 for a text that cannot be drawn.
    func watermark(
        _ requested: RequestedWatermark, _ renderer: Renderer, _ settings: ServeSettings, now: Int
    ) async throws(ServeError) -> Watermark {
        let known = recent.withLock { $0.value(for: requested.key) }
        if let known, Duration.seconds(now - known.time) < settings.resultLifetime { return known.watermark }
        let watermark: Watermark
        switch requested {
        case .text(let text):
            do { watermark = try await BlockingCall.run { try text.drawn(settings.inTime(settings.limits), $0) } } catch
            {
                throw (error as? ImageError).map { ServeError(422, "watermark_text: \($0.reason)") } ?? .clientClosed
            }
        case .image(let source):
            do throws(ServeError) { watermark = try await renderer.watermark(source).rendered() } catch {
                throw error.ofWatermark
            }
        }
        recent.withLock { $0.store((watermark, now), for: requested.key, cost: watermark.image.size.area * 4) }
        return watermark
    }
}

extension ImageService {
    /// Checks the watermark that a request names; `nil` if it names none.
    ///
    /// - Throws: as ``source(_:_:)``.
    func watermark(
        _ options: ImgproxyOptions.Watermark, _ settings: ServeSettings
    ) async throws(ServeError) -> RequestedWatermark? {
        switch options.image {
        case .text(let text) where options.opacity > 0: return .text(text)
        case .address(let address) where options.opacity > 0:
            do throws(ServeError) { return .image(try await source(address, settings)) } catch {
                throw error.ofWatermark
            }
        default: return nil
        }
    }
}

extension ServeError {
    /// The error as that of the option `watermark_url`.
    fileprivate var ofWatermark: ServeError {
        ServeError(status, "watermark_url: \(message)", retryAfter: retryAfter)
    }
}
