/// The properties of one frame of an animation, or of one page or image of a file that holds several.
public struct FrameProperties: Hashable, Sendable {
    /// The size of the frame decoded without a target: the canvas of an animation, otherwise the page's own size.
    public var size: PixelSize
    /// The stored duration; `nil` if the file states none.
    public var duration: Duration?
    /// Whether some pixel may be transparent.
    public var hasAlpha: Bool
    /// Whether all bytes of the frame's own pixels have arrived.
    public var isComplete: Bool

    /// Creates properties of a frame.
    public init(size: PixelSize, duration: Duration? = nil, hasAlpha: Bool = false, isComplete: Bool = false) {
        self.size = size
        self.duration = duration
        self.hasAlpha = hasAlpha
        self.isComplete = isComplete
    }
}
