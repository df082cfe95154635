/// The properties of one frame of an animation, or of one page or image of a file that holds several.
public struct FrameProperties: Hashable, Sendable {
    /// Size of the frame as decoded without a target: the canvas of an animation, the page's own size otherwise.
    public var size: PixelSize
    /// How long the frame is shown, in milliseconds as stored; `nil` where the file states none.
    public var duration: Int?
    /// Whether some pixel may be transparent.
    public var hasAlpha: Bool
    /// Whether all bytes that the frame's own pixels need have come.
    public var isComplete: Bool

    /// Describes a frame.
    public init(size: PixelSize, duration: Int? = nil, hasAlpha: Bool = false, isComplete: Bool = false) {
        self.size = size
        self.duration = duration
        self.hasAlpha = hasAlpha
        self.isComplete = isComplete
    }
}
