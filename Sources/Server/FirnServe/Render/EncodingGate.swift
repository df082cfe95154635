import FirnImage
import FirnSync
import FoundationEssentials

/// Runs encoders, and what else blocks, at most one for each core.
final class EncodingGate: Sendable {
    private let queued = Locked(0)

    /// The results that wait for a core.
    var waiting: Int { queued.withLock { $0 } }

    /// - Throws: status 422 if the encoder fails, 499 if the task is cancelled.
    func encode(
        _ image: Bitmap, by encoder: any ImageEncoding, _ metadata: EncodingMetadata
    ) async throws(ServeError) -> Data {
        try await run { flag throws(ServeError) in
            do throws(ImageEncodingError) {
                return try encoder.encode(image, metadata: metadata, cancellation: flag)
            } catch {
                throw ServeError(422, error.message)
            }
        }
    }

    /// Runs `work`, whose flag is set when the task is cancelled.
    ///
    /// - Throws: what `work` throws; status 499 if the task is cancelled.
    func run(
        _ work: @escaping @Sendable (CancellationFlag) throws(ServeError) -> Data
    ) async throws(ServeError) -> Data {
        let hasBegun = CancellationFlag()
        queued.withLock { $0 += 1 }
        defer { if !hasBegun.isCancelled { queued.withLock { $0 -= 1 } } }
        do {
            return try await BlockingCall.run { flag in
                hasBegun.cancel()
                self.queued.withLock { $0 -= 1 }
                return try work(flag)
            }
        } catch let error as ServeError {
            throw error
        } catch {
            throw .clientClosed
        }
    }
}
