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

        /// A thumbnail whose longer side has at most so many pixels.
        public init(maxPixelSize: Float) {
            targetSize = TargetSize(PixelSize.side(Double(maxPixelSize)))
        }

        /// A thumbnail that fills or fits a size.
        ///
        /// - Parameters:
        ///   - size: width and height.
        ///   - unit: what `size` is counted in. Default: pixels; Nuke's default is points.
        ///   - contentMode: whether the size is filled or fitted. Default: filled, as in Nuke.
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
    /// Whole pixels of a size in pixels, or in points of a screen with a scale; a side that is no positive number is
    /// 0.
    public init(_ size: CGSize, _ unit: ImageProcessingOptions.Unit = .pixels) {
        self.init(
            width: PixelSize.side(Double(size.width), unit), height: PixelSize.side(Double(size.height), unit))
    }

    /// Whole pixels of a length; 0 if it is no positive number, at most `Int32.max`.
    static func side(_ length: Double, _ unit: ImageProcessingOptions.Unit = .pixels) -> Int {
        var pixels = length
        if case .points(let scale) = unit { pixels *= scale }
        return pixels > 0 ? Int(min(pixels.rounded(), Double(Int32.max))) : 0
    }
}

extension CGSize {
    /// Width and height in pixels.
    public init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}
