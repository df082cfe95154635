public import FirnImage
public import FoundationEssentials

/// A decoder of ``ScriptedAnimation``s: it records its calls and can be made to wait.
public final class ScriptedAnimationDecoder: ImageDecoding {
    /// The calls of a decoder.
    public struct Record: Sendable {
        /// The number of opened sessions.
        public internal(set) var sessions = 0
        /// Frames whose decode began, in order.
        public internal(set) var frames: [Int] = []
        /// The number of decodes that ended because they were cancelled.
        public internal(set) var cancelled = 0
        /// The number of running decodes.
        public internal(set) var active = 0
    }

    private let state = Watched(HeldCalls(record: Record()))
    private let onDecode: @Sendable (Int) -> Void

    /// - Parameter onDecode: called with each frame's number while it is decoded, for example to advance a clock.
    ///   Default: nothing.
    public init(onDecode: @escaping @Sendable (Int) -> Void = { _ in }) { self.onDecode = onDecode }

    /// The calls so far.
    public var record: Record { state.value.record }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition must not use the decoder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await state.wait { isReached($0.record) }.record
    }

    /// Keeps decodes from ending until ``release()``. A cancelled decode still ends.
    public func hold() { state.update { $0.isHeld = true } }

    /// Lets decodes end.
    public func release() { state.update { $0.isHeld = false } }

    /// Recognizes the bytes of a ``ScriptedAnimation``.
    public func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-animation ".utf8)) ? ScriptedAnimation.format : nil
    }

    /// Opens a session and counts it.
    public func makeSession(
        limits: ImageLimits, cancellation: CancellationFlag
    ) -> any ImageDecodingSession {
        state.update { $0.record.sessions += 1 }
        return ScriptedAnimationSession(decoder: self, cancellation: cancellation)
    }

    func image(
        _ frame: Int, _ size: PixelSize, _ options: DecodingOptions, _ cancellation: CancellationFlag
    ) throws(ImageDecodingError) -> Bitmap {
        state.update { state in
            state.record.frames.append(frame)
            state.record.active += 1
        }
        defer { state.update { $0.record.active -= 1 } }
        onDecode(frame)
        if state.endsCancelled(cancellation, counting: \.cancelled) {
            throw ImageDecodingError(.cancelled, "cancelled", format: ScriptedAnimation.format)
        }
        return try Bitmap.flat(ScriptedAnimation.level(of: frame), size, options, format: ScriptedAnimation.format)
    }
}
