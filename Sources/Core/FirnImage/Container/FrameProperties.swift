/// The properties of one frame of an animation, or of one page or image of a file that holds several.
public struct FrameProperties: Hashable, Sendable {
    /// The size of the frame decoded without a target: the canvas of an animation, otherwise the page's own size.
    public var size: PixelSize
    /// The stored duration; `nil` if the file states none.
    public var duration: Duration?
    /// True if some pixel may be transparent.
    public var hasAlpha: Bool
    /// True if all bytes of the frame's own pixels have arrived.
    public var isComplete: Bool
    /// The rotation and reflection of a page for display; `nil` (the default) for that of the file.
    public var orientation: ImageOrientation?

    /// Creates properties of a frame.
    public init(
        size: PixelSize, duration: Duration? = nil, hasAlpha: Bool = false, isComplete: Bool = false,
        orientation: ImageOrientation? = nil
    ) {
        self.size = size
        self.duration = duration
        self.hasAlpha = hasAlpha
        self.isComplete = isComplete
        self.orientation = orientation
    }
}

extension FrameProperties {
    /// The duration for which browsers and Firn show the frame; `nil` if the file states none.
    ///
    /// 10 ms and less become 100 ms, because many old files store 0 and rely on this.
    ///
    /// - Source: WebKit `ScalableImageDecoderFrame`, Chromium `ImageFrame`: durations below 11 ms.
    public var displayDuration: Duration? {
        duration.map { $0 <= .milliseconds(10) ? .milliseconds(100) : $0 }
    }
}
