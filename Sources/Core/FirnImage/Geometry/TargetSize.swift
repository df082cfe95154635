import FirnSync

/// The way in which an image is fitted into a target rectangle.
public enum ImageContentMode: String, Hashable, Sendable {
    /// The whole image is inside; one side may be shorter than the target's.
    case fit
    /// The whole target is covered; one side may be longer than the target's.
    case fill

    /// ``fit``, by Nuke's name.
    public static let aspectFit = ImageContentMode.fit
    /// ``fill``, by Nuke's name.
    public static let aspectFill = ImageContentMode.fill
}

/// A requested size, independent of the image's own size.
///
/// Units: pixels of the displayed image, after orientation. A literal is a square to fit into: `targetSize: 256`.
public struct TargetSize: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The rectangle to fit into or to fill. A side of 0 is free: it follows from the other side and the aspect ratio.
    /// A negative side makes the request fail.
    public var size: PixelSize
    /// The way in which the image is fitted.
    public var mode: ImageContentMode
    /// True to enlarge a smaller image. Default: false, because enlarging costs memory and adds no detail.
    ///
    /// Does not apply to vector images, which are always rendered at the target's size.
    public var upscale: Bool

    /// Creates a target. Default: the image fits into it and is not enlarged.
    public init(_ size: PixelSize, mode: ImageContentMode = .fit, upscale: Bool = false) {
        self.size = size
        self.mode = mode
        self.upscale = upscale
    }

    /// Creates a target with a width, a height, or both.
    ///
    ///     TargetSize(width: 320)                          // any height
    ///     TargetSize(width: 320, height: 200)             // inside this rectangle
    ///     TargetSize(width: 320, height: 200, mode: .fill)
    ///
    /// - Parameters:
    ///   - width: the columns; `nil` (the default) or 0 if they follow from `height`.
    ///   - height: the rows; `nil` (the default) or 0 if they follow from `width`.
    ///   - mode: whether the image fits into the rectangle or fills it. Ignored if a side is free.
    ///   - upscale: whether a smaller image is enlarged. Default: false.
    public init(width: Int? = nil, height: Int? = nil, mode: ImageContentMode = .fit, upscale: Bool = false) {
        self.init(PixelSize(width: width ?? 0, height: height ?? 0), mode: mode, upscale: upscale)
    }

    /// Creates a square target. By default the longer side of the image becomes `side` pixels, and a smaller image is
    /// not enlarged.
    public init(_ side: Int, mode: ImageContentMode = .fit, upscale: Bool = false) {
        self.init(PixelSize(side), mode: mode, upscale: upscale)
    }

    /// Creates a square to fit into from a literal: `targetSize: 256`.
    public init(integerLiteral side: Int) { self.init(PixelSize(side)) }

    /// False if a side is negative, as it is made of a number that is not finite.
    package var isValid: Bool { size.width >= 0 && size.height >= 0 }

    /// - Throws: ``ImageError/Fault/request`` if the target is not valid.
    package func check() throws(ImageError) {
        if !isValid { throw ImageError(.request, at: .decoding, "the target size \(size) has a negative side") }
    }

    /// Returns the size at which an image of `source` pixels fits or fills the target, keeping its aspect ratio.
    ///
    /// Each side is rounded to the nearest pixel and is at least 1. Returns the source if it is empty or no side of the
    /// target is positive.
    public func resolved(for source: PixelSize) -> PixelSize {
        guard !source.isEmpty, var scale = scale(Double(source.width), Double(source.height)) else { return source }
        if !upscale { scale = min(scale, 1) }
        if scale == 1 { return source }
        return PixelSize(
            width: TargetSize.side(Double(source.width) * scale),
            height: TargetSize.side(Double(source.height) * scale))
    }

    /// Returns the size at which an image, or a part of one, fits or fills the target.
    package func resolved(for extent: ImageExtent) -> PixelSize {
        guard let vector = extent.vector else { return resolved(for: extent.pixels) }
        guard let scale = scale(vector.width, vector.height) else { return extent.pixels }
        if scale == 1 { return extent.pixels }
        let bounded = min(scale, Double(VectorSize.longestSide) / max(vector.width, vector.height))
        return PixelSize(
            width: TargetSize.side(vector.width * bounded), height: TargetSize.side(vector.height * bounded))
    }

    /// Returns the factor at which an image with these sides fits or fills the target; `nil` if both sides are free.
    private func scale(_ width: Double, _ height: Double) -> Double? {
        let horizontal = Double(size.width) / width
        let vertical = Double(size.height) / height
        guard size.width > 0, size.height > 0 else {
            return size.width > 0 ? horizontal : size.height > 0 ? vertical : nil
        }
        return mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
    }

    private static func side(_ length: Double) -> Int {
        let rounded = length.rounded()
        return rounded >= 1 ? Int(saturating: min(rounded, 0x1p52)) : 1
    }
}
