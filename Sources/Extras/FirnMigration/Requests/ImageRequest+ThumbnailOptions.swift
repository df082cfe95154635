public import Firn
package import FirnPipeline
public import Foundation

extension ImageRequest {
    /// The size of a thumbnail: another spelling of ``/FirnPipeline/ImageRequest/targetSize``.
    ///
    /// The decoder decodes no more pixels than the size needs, for every format. The image has exactly the size that
    /// fits.
    public struct ThumbnailOptions: Hashable, Sendable, ImageRequest.ThumbnailSize {
        /// The size as a request has it, in pixels.
        public var targetSize: TargetSize

        init(_ size: TargetSize) { targetSize = size }

        /// Creates a thumbnail whose longer side has at most this many pixels.
        public init(maxPixelSize: Float) {
            targetSize = TargetSize(PixelSize.side(Double(maxPixelSize)))
        }

        /// Creates a thumbnail that fills or fits a size.
        ///
        /// - Parameters:
        ///   - size: width and height.
        ///   - unit: the unit of `size`. Default: pixels; Nuke's default is points.
        ///   - contentMode: whether the size is filled or fitted. Default: fills it, as in Nuke.
        public init(
            size: CGSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ImageContentMode = .aspectFill
        ) { targetSize = TargetSize(PixelSize(size, unit), mode: contentMode) }
    }

    /// The size as thumbnail options; setting it sets ``/FirnPipeline/ImageRequest/targetSize``.
    public var thumbnail: ThumbnailOptions? {
        get { targetSize.map { ThumbnailOptions($0) } }
        set { targetSize = newValue?.targetSize }
    }
}

extension ImageRequest.UserInfoKey {
    /// A value of `ImageRequest.ThumbnailOptions`: sets ``/FirnPipeline/ImageRequest/targetSize``.
    public static var thumbnailKey: ImageRequest.UserInfoKey { .thumbnail }
}

extension PixelSize {
    /// Creates a size in whole pixels from a size in pixels, or in points of a screen with a scale. A side that is not
    /// positive becomes 0.
    public init(_ size: CGSize, _ unit: ImageProcessingOptions.Unit = .pixels) {
        self.init(
            width: PixelSize.side(Double(size.width), unit), height: PixelSize.side(Double(size.height), unit))
    }

    /// Returns a length in whole pixels, at most `Int32.max`; 0 if it is not positive.
    static func side(_ length: Double, _ unit: ImageProcessingOptions.Unit = .pixels) -> Int {
        var pixels = length
        if case .points(let scale) = unit { pixels *= scale }
        return pixels > 0 ? Int(min(pixels.rounded(), Double(Int32.max))) : 0
    }
}

extension CGSize {
    /// Creates a size from width and height in pixels.
    public init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}
