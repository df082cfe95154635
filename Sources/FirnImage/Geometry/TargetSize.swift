import FirnSync

/// How an image is fitted into a target rectangle.
public enum ContentMode: String, Hashable, Sendable {
    /// The whole image is inside; one side may be shorter than the target's.
    case fit
    /// The whole target is covered; one side may be longer than the target's.
    case fill
}

/// A requested size, independent of the image's own size.
///
/// Units: pixels of the displayed image, after orientation.
public struct TargetSize: Hashable, Sendable {
    /// The rectangle to fit into or to fill.
    public var size: PixelSize
    /// How the image is fitted.
    public var mode: ContentMode
    /// Whether a smaller image is enlarged. Default: false, because enlarging costs memory and shows nothing more.
    public var upscale: Bool

    /// Creates a target. Default: the image fits into it and is not enlarged.
    public init(_ size: PixelSize, mode: ContentMode = .fit, upscale: Bool = false) {
        self.size = size
        self.mode = mode
        self.upscale = upscale
    }

    /// Returns the size at which an image of `source` pixels fits or fills the target, with its aspect ratio.
    ///
    /// Each side is rounded to the nearest pixel and is at least 1. If the target or the source is empty, returns the
    /// source.
    public func resolved(for source: PixelSize) -> PixelSize {
        guard !source.isEmpty, !size.isEmpty else { return source }
        let horizontal = Double(size.width) / Double(source.width)
        let vertical = Double(size.height) / Double(source.height)
        var scale = mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
        if !upscale { scale = min(scale, 1) }
        if scale == 1 { return source }
        return PixelSize(
            width: TargetSize.side(source.width, times: scale),
            height: TargetSize.side(source.height, times: scale))
    }

    private static func side(_ length: Int, times scale: Double) -> Int {
        let scaled = (Double(length) * scale).rounded()
        return scaled >= 1 ? Int(saturating: min(scaled, 0x1p52)) : 1
    }
}
