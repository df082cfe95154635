/// Bounds that keep the cost of a request finite. Values beyond them get 404, results 422.
package struct ImgproxyLimits: Sendable, Equatable {
    package var sourceMegapixels = 50.0
    /// The longest side of a result in pixels; larger results are scaled down. 0 means no limit.
    package var resultSide = 16_384
    /// The most pixels of a result and of each intermediate image.
    package var resultPixels = 50_000_000
    /// The most frames of an animation, of which the first are served. 1 makes animations stills. Those whose served
    /// frames have more than ``sourceMegapixels``, or more than ``resultPixels`` as results, are stills, too.
    package var animationFrames = 100
    /// The most pixels of a result in AVIF, which takes seconds for large images; larger ones become WebP.
    package var avifPixels = 8_000_000
    package var pathBytes = 128 * 1024
    package var options = 64
    /// The largest `width`, `height`, `min-width`, `min-height` and pixel offset.
    package var dimension = 65_535
    package var dpr = 8.0
    package var zoom = 8.0
    /// The largest sigma of `blur` and `sharpen`.
    package var sigma = 100.0
    /// The largest padding of one side, before `dpr`.
    package var padding = 4096

    package init() {}

    /// The limits that decide how a result looks.
    var key: String { "\(resultSide).\(resultPixels).\(sourceMegapixels).\(animationFrames).\(avifPixels)" }
}
