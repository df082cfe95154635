extension FrameProperties {
    /// Stored durations up to this one are replaced.
    static let shortestDuration = Duration.milliseconds(10)
    /// The duration that replaces shorter ones.
    static let replacedDuration = Duration.milliseconds(100)

    /// The duration for which browsers and Firn show the frame; `nil` if the file states none.
    ///
    /// 10 ms and less become 100 ms, because many old files store 0 and rely on this.
    ///
    /// - Source: WebKit `ScalableImageDecoderFrame`, Chromium `ImageFrame`: durations below 11 ms.
    public var displayDuration: Duration? {
        guard let duration else { return nil }
        return duration <= FrameProperties.shortestDuration
            ? FrameProperties.replacedDuration : duration
    }
}
