extension FrameProperties {
    /// Frames stored with this many milliseconds or fewer are shown longer.
    static let shortestDuration = 10
    /// How long such frames are shown.
    static let replacedDuration = Duration.milliseconds(100)

    /// How long the frame is shown as stored; `nil` where the file states none.
    public var storedDuration: Duration? { duration.map { .milliseconds(max(0, $0)) } }

    /// How long the frame is shown by browsers and by Firn; `nil` where the file states no duration.
    ///
    /// 10 ms and less become 100 ms: many old files store 0 and rely on it.
    /// - Source: WebKit `ScalableImageDecoderFrame`, Chromium `ImageFrame`: durations below 11 ms.
    public var displayDuration: Duration? {
        guard let duration else { return nil }
        return duration <= FrameProperties.shortestDuration
            ? FrameProperties.replacedDuration : .milliseconds(duration)
    }
}
