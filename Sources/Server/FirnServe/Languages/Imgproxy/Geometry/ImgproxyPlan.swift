import FirnImage

/// The changes of an image's geometry, in the order of the properties.
struct ImgproxyPlan: Sendable, Equatable {
    /// A larger area that holds an image at an offset.
    struct Canvas: Sendable, Equatable {
        var size: PixelSize
        /// The image's left edge on the canvas.
        var x: Int
        /// The image's top edge on the canvas.
        var y: Int
    }

    /// The part of the upright source, before turns; nil means all. For a smart crop this is the centered part.
    var crop: PixelArea?
    /// True if the content decides where ``crop`` lies; its size stays.
    var isCropSmart = false
    /// The size after scaling, before turns.
    var scaled: PixelSize
    /// Clockwise degrees: 0, 90, 180 or 270.
    var rotation = 0
    /// Mirrors left and right after the rotation.
    var flipHorizontal = false
    /// Mirrors top and bottom after the rotation.
    var flipVertical = false
    /// The part of the turned image; nil means all.
    var resultCrop: PixelArea?
    /// True if the content decides where ``resultCrop`` lies; its size stays.
    var isResultCropSmart = false
    var extend: Canvas?
    var extendAspectRatio: Canvas?
    /// Padding in pixels of the result.
    var padding = ImgproxyOptions.Padding()
    /// The size before the limit of the format.
    var unlimited: PixelSize
    /// The size of the result. If it differs from ``unlimited``, the padded image is scaled to it.
    var result: PixelSize
    /// The effective `dpr`, which also scales pixel offsets of watermarks.
    var dpr = 1.0
}
