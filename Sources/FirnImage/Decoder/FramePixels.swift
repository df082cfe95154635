import FirnSync

/// A frame's pixels, or the way to them: computed once, however many threads ask.
final class FramePixels: Sendable {
    private enum State {
        case waiting(@Sendable () throws(ImageDecodingError) -> Bitmap)
        case done(Result<Bitmap, ImageDecodingError>)
    }

    private let state: Locked<State>
    private let turn = DecodingTurn()

    /// Pixels that are there.
    init(_ image: Bitmap) { state = Locked(.done(.success(image))) }

    /// Pixels that `decode` gives.
    init(_ decode: @escaping @Sendable () throws(ImageDecodingError) -> Bitmap) { state = Locked(.waiting(decode)) }

    /// The pixels, if they are there.
    var ready: Bitmap? {
        guard case .done(.success(let image)) = state.withLock({ $0 }) else { return nil }
        return image
    }

    /// The pixels. A decode that was cancelled, or lacked bytes, is tried again by the next caller; other failures stay.
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
