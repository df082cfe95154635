public import Firn
public import Foundation
package import FirnPipeline

extension ImageRequest {
    /// The size of a thumbnail: another spelling of ``/FirnPipeline/ImageRequest/targetSize``.
    ///
    /// The decoder decodes no more pixels than the size needs, for every format. The image has exactly the size that
    /// fits.
    public struct ThumbnailOptions: Hashable, Sendable, ImageRequest.ThumbnailSize {
        /// The size as a request has it, in pixels.
        public var targetSize: TargetSize

        /// A thumbnail whose longer side has at most so many pixels.
        public init(maxPixelSize: Float) {
            let side = PixelSize.side(Double(maxPixelSize))
            targetSize = TargetSize(side)
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

        /// Without effect: every format gives a thumbnail.
        @available(*, unavailable, message: "remove it: the image is decoded at the size asked for")
        public var createThumbnailFromImageIfAbsent: Bool {
            get { true }
            set {}
        }

        /// Without effect: a thumbnail is always made from the image itself.
        @available(*, unavailable, message: "remove it: the image is decoded at the size asked for")
        public var createThumbnailFromImageAlways: Bool {
            get { true }
            set {}
        }

        /// Without effect: the orientation is always applied.
        @available(*, unavailable, message: "remove it: the orientation is always applied")
        public var createThumbnailWithTransform: Bool {
            get { true }
            set {}
        }

        /// Without effect: images are decoded in the background before they are returned.
        @available(*, unavailable, message: "remove it: images are decoded before they are returned")
        public var shouldCacheImmediately: Bool {
            get { true }
            set {}
        }

        /// Decoding has a limit and a cancellation here; use a decoder.
        @available(*, unavailable, message: "use ImageDecoder with DecodingOptions.targetSize")
        public func makeThumbnail(with data: Data) -> Bitmap? { nil }
    }

    /// The size as thumbnail options; setting it sets ``/FirnPipeline/ImageRequest/targetSize``.
    public var thumbnail: ThumbnailOptions? {
        get {
            targetSize.map {
                var options = ThumbnailOptions(maxPixelSize: 0)
                options.targetSize = $0
                return options
            }
        }
        set { targetSize = newValue?.targetSize }
    }

    /// Images are counted in pixels; there is no scale.
    @available(
        *, unavailable, message: "images are counted in pixels; give sizes as .points(scale:) where they are points"
    )
    public var scale: Float? {
        get { nil }
        set {}
    }
}

extension ImageRequest.UserInfoKey {
    /// A value of `ImageRequest.ThumbnailOptions`: sets ``/FirnPipeline/ImageRequest/targetSize``.
    public static var thumbnailKey: ImageRequest.UserInfoKey { .thumbnail }

    /// Images are counted in pixels; there is no scale.
    @available(
        *, unavailable, message: "images are counted in pixels; give sizes as .points(scale:) where they are points"
    )
    public static var scaleKey: ImageRequest.UserInfoKey { "firn.scale" }
}
