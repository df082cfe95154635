import FirnSync

/// The pixels of a frame, decoded on first access, and once for all threads.
final class FramePixels: Sendable {
    private enum State {
        case waiting(@Sendable () throws(ImageDecodingError) -> Bitmap)
        case done(Result<Bitmap, ImageDecodingError>)
    }

    private let state: Locked<State>
    private let turn = DecodingTurn()

    /// Creates pixels that are ready.
    init(_ image: Bitmap) { state = Locked(.done(.success(image))) }

    /// Creates pixels that `decode` returns.
    init(_ decode: @escaping @Sendable () throws(ImageDecodingError) -> Bitmap) { state = Locked(.waiting(decode)) }

    /// The pixels; `nil` if they are not ready.
    var ready: Bitmap? {
        guard case .done(.success(let image)) = state.withLock({ $0 }) else { return nil }
        return image
    }

    /// Returns the pixels. After a cancelled decode, or one that lacked bytes, the next caller tries again; other
    /// failures stay.
    func image() throws(ImageDecodingError) -> Bitmap {
        if let image = ready { return image }
        turn.take()
        defer { turn.leave() }
        let decode: @Sendable () throws(ImageDecodingError) -> Bitmap
        switch state.withLock({ $0 }) {
        case .done(let result): return try result.get()
        case .waiting(let body): decode = body
        }
        do throws(ImageDecodingError) {
            let image = try decode()
            state.withLock { $0 = .done(.success(image)) }
            return image
        } catch {
            if error.fault != .cancelled, error.fault != .incomplete {
                state.withLock { $0 = .done(.failure(error)) }
            }
            throw error
        }
    }
}
