import FirnSync

/// The pixels of a frame, decoded once for all threads, on first access.
final class FramePixels: Sendable {
    /// An image and the reason why it is incomplete; `nil` if it is complete.
    typealias Decoded = (image: Bitmap, damage: ImageError?)

    private enum State {
        case waiting(@Sendable () throws(ImageError) -> Decoded)
        case done(Result<Decoded, ImageError>)
    }

    private let state: Locked<State>
    private let turn = DecodingTurn()

    /// Creates pixels that are ready.
    init(_ decoded: Decoded) { state = Locked(.done(.success(decoded))) }

    /// Creates pixels that `decode` computes.
    init(_ decode: @escaping @Sendable () throws(ImageError) -> Decoded) { state = Locked(.waiting(decode)) }

    /// The pixels; `nil` if they are not ready.
    var ready: Decoded? {
        guard case .done(.success(let decoded)) = state.withLock({ $0 }) else { return nil }
        return decoded
    }

    /// Returns the pixels. After a cancelled decode or missing bytes, the next caller retries; other failures are
    /// permanent.
    func image() throws(ImageError) -> Bitmap {
        if let image = ready?.image { return image }
        turn.take()
        defer { turn.leave() }
        let decode: @Sendable () throws(ImageError) -> Decoded
        switch state.withLock({ $0 }) {
        case .done(let result): return try result.get().image
        case .waiting(let body): decode = body
        }
        do throws(ImageError) {
            let decoded = try decode()
            state.withLock { $0 = .done(.success(decoded)) }
            return decoded.image
        } catch {
            if error.fault != .cancelled, error.fault != .incomplete {
                state.withLock { $0 = .done(.failure(error)) }
            }
            throw error
        }
    }
}
