package import FirnImage

/// The changes of an image's geometry, in the order of the properties.
package struct ImgproxyPlan: Sendable, Equatable {
    /// A larger area that holds an image at an offset.
    package struct Canvas: Sendable, Equatable {
        package var size: PixelSize
        /// The image's left edge on the canvas.
        package var x: Int
        /// The image's top edge on the canvas.
        package var y: Int
    }

    /// The part of the upright source, before turns; nil means all. For a smart crop this is the centered part.
    package var crop: PixelArea?
    /// True if the content decides where ``crop`` lies; its size stays.
    package var isCropSmart = false
    /// The size after scaling, before turns.
    package var scaled: PixelSize
    /// Clockwise degrees: 0, 90, 180 or 270.
    package var rotation = 0
    /// Mirrors left and right after the rotation.
    package var flipHorizontal = false
    /// Mirrors top and bottom after the rotation.
    package var flipVertical = false
    /// The part of the turned image; nil means all.
    package var resultCrop: PixelArea?
    /// True if the content decides where ``resultCrop`` lies; its size stays.
    package var isResultCropSmart = false
    /// The canvas of `extend`.
    package var extend: Canvas?
    /// The canvas of `extend_aspect_ratio`.
    package var extendAspectRatio: Canvas?
    /// Padding in pixels of the result.
    package var padding = ImgproxyOptions.Padding()
    /// The size before the limit of the format.
    package var unlimited: PixelSize
    /// The size of the result. If it differs from ``unlimited``, the padded image is scaled to it.
    package var result: PixelSize
    /// The effective `dpr`, which also scales pixel offsets of watermarks.
    package var dpr = 1.0
}
