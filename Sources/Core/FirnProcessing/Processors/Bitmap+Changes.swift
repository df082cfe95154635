import FirnSync

// Changes of one image, by the names of the processors that they apply. They block the calling thread, and idle cores
// help with large images; `applying(_:)` does not block. Errors are those of `applyingBlocking(_:limits:)`.

extension Bitmap {
    /// Returns the image resized to fit into `size` or to fill it, keeping its aspect ratio. A smaller image is
    /// enlarged.
    ///
    /// - Parameter crop: whether to crop an image that fills the size to it, around the middle. Default: false.
    public func resized(
        to size: PixelSize, contentMode: ImageContentMode, crop: Bool = false
    ) throws(ImageError) -> Bitmap {
        try applyingBlocking([.resize(size: size, contentMode: contentMode, crop: crop, upscale: true)])
    }

    /// Returns the image resized to fit into `size`, keeping its aspect ratio: `image.resized(toFit: 256)`. A smaller
    /// image is enlarged.
    public func resized(toFit size: PixelSize) throws(ImageError) -> Bitmap {
        try resized(to: size, contentMode: .fit)
    }

    /// Returns the image resized to a width, a height, or both; a side that is not given follows from the aspect ratio.
    /// A smaller image is enlarged.
    public func resized(width: Int? = nil, height: Int? = nil) throws(ImageError) -> Bitmap {
        switch (width, height) {
        case (let width?, let height?): try resized(to: PixelSize(width: width, height: height))
        case (let width?, nil): try applyingBlocking([.resize(width: width, upscale: true)])
        case (nil, let height?): try applyingBlocking([.resize(height: height, upscale: true)])
        case (nil, nil): self
        }
    }

    /// Returns the image with both sides multiplied by `factor`, which must be greater than 0. No side gets shorter
    /// than one pixel.
    public func scaled(by factor: Double) throws(ImageError) -> Bitmap {
        guard factor > 0 else { throw ImageError(.request, at: .processing, "the factor \(factor) is not positive") }
        func side(_ length: Int) -> Int { max(1, Int(saturating: (Double(length) * factor).rounded())) }
        return try resized(to: PixelSize(width: side(width), height: side(height)))
    }

    /// Returns `width` × `height` pixels of the image, whose upper left corner is at column `x` and row `y`. Parts
    /// outside of the image are left out.
    public func cropped(x: Int, y: Int, width: Int, height: Int) throws(ImageError) -> Bitmap {
        try cropped(to: .pixels(x: x, y: y, width: width, height: height))
    }

    /// Returns a part of `size`; a shorter side of the image stays whole.
    ///
    /// - Parameter anchor: the part to keep. Default: the middle.
    public func cropped(
        to size: PixelSize, anchor: ImageProcessingOptions.Anchor = .center
    ) throws(ImageError) -> Bitmap { try applyingBlocking([.crop(size: size, anchor: anchor)]) }

    /// Returns the image without its border of one color.
    ///
    /// - Parameter tolerance: the maximum difference from the color, in 8-bit levels. Default: 10.
    public func trimmed(tolerance: Double = 10) throws(ImageError) -> Bitmap {
        try applyingBlocking([.trim(tolerance: tolerance)])
    }

    /// Returns the image rotated clockwise by 90, 180 or 270 degrees; negative angles are counterclockwise.
    ///
    /// - Throws: also ``/FirnImage/ImageError/Fault/request`` for an angle that is no multiple of 90 degrees.
    public func rotated(by degrees: Int) throws(ImageError) -> Bitmap {
        let (turns, rest) = degrees.quotientAndRemainder(dividingBy: 90)
        guard rest == 0 else {
            throw ImageError(.request, at: .processing, "\(degrees) degrees are not a multiple of 90, a quarter turn")
        }
        return try applyingBlocking([.rotate(quarterTurns: turns)])
    }

    /// Returns the image mirrored: left and right are exchanged.
    public func flippedHorizontally() throws(ImageError) -> Bitmap { try applyingBlocking([.flipHorizontally()]) }

    /// Returns the image mirrored: top and bottom are exchanged.
    public func flippedVertically() throws(ImageError) -> Bitmap { try applyingBlocking([.flipVertically()]) }

    /// Returns the image blurred with a Gaussian of this standard deviation in pixels. Default: 8.
    public func blurred(radius: Double = 8) throws(ImageError) -> Bitmap {
        try applyingBlocking([.gaussianBlur(radius: radius)])
    }

    /// Returns the image sharpened by unsharp masking, as `.sharpen(amount:radius:)` does.
    public func sharpened(amount: Double = 0.6, radius: Double = 1) throws(ImageError) -> Bitmap {
        try applyingBlocking([.sharpen(amount: amount, radius: radius)])
    }

    /// Returns the image without color.
    public func grayscale() throws(ImageError) -> Bitmap { try applyingBlocking([.grayscale()]) }

    /// Returns the negative of the image.
    public func inverted() throws(ImageError) -> Bitmap { try applyingBlocking([.invert()]) }

    /// Returns the image with other brightness, contrast and saturation, in this order.
    ///
    /// - Parameters:
    ///   - brightness: added to all colors, from -1 (black) to 1 (white). Default: 0.
    ///   - contrast: the factor of the distance from middle gray. Default: 1.
    ///   - saturation: the factor of the saturation; 0 removes all color. Default: 1.
    public func adjusted(
        brightness: Double = 0, contrast: Double = 1, saturation: Double = 1
    ) throws(ImageError) -> Bitmap {
        try applyingBlocking([.brightness(brightness), .contrast(contrast), .saturation(saturation)])
    }

    /// Returns the image over a background color, so that it is opaque. Default: white.
    public func flattened(background: SRGBColor = .white) throws(ImageError) -> Bitmap {
        try applyingBlocking([.flatten(background: background)])
    }

    /// Returns the image with corners of this radius in pixels, limited to half of the shorter side.
    ///
    /// - Parameter border: a line along the inside of the edge. Default: none.
    public func roundedCorners(
        radius: Double, border: ImageProcessingOptions.Border? = nil
    ) throws(ImageError) -> Bitmap { try applyingBlocking([.roundedCorners(radius: radius, border: border)]) }

    /// Returns the largest circle in the middle of the image, as a square image.
    ///
    /// - Parameter border: a line along the inside of the edge. Default: none.
    public func circle(border: ImageProcessingOptions.Border? = nil) throws(ImageError) -> Bitmap {
        try applyingBlocking([.circle(border: border)])
    }

    /// Returns the image with another one drawn over it, whose upper left corner is at column `x` and row `y`.
    ///
    /// - Parameter opacity: the factor for the alpha of `other`, from 0 to 1. Default: 1.
    public func overlaying(_ other: Bitmap, x: Int, y: Int, opacity: Double = 1) throws(ImageError) -> Bitmap {
        try applyingBlocking([.overlay(other, id: "", x: x, y: y, opacity: opacity)])
    }

    /// Returns the image with another one drawn over it: a watermark.
    ///
    /// - Parameters:
    ///   - anchor: the position of `other`. Default: the lower right corner.
    ///   - margin: the distance from the edges that the anchor names, in pixels. Default: 0.
    ///   - opacity: the factor for the alpha of `other`, from 0 to 1. Default: 1.
    public func overlaying(
        _ other: Bitmap, anchor: ImageProcessingOptions.Anchor = .bottomRight, margin: Int = 0, opacity: Double = 1
    ) throws(ImageError) -> Bitmap {
        try applyingBlocking([.overlay(other, id: "", anchor: anchor, margin: margin, opacity: opacity)])
    }
}
