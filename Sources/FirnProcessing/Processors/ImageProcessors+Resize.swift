public import FirnImage

extension ImageProcessors {
    /// Brings a picture to a size in pixels, aspect kept.
    public struct Resize: ImageProcessing, Hashable {
        /// The size wanted and how it is read.
        public let target: TargetSize
        /// Whether what stands over the target is cut off, the same amount on both sides.
        public let crop: Bool
        /// How colours are computed.
        public let filter: ResizeFilter

        /// A side that does not bind: larger than any picture.
        private static let free = Int(Int32.max)

        /// Fits pictures into `size`, or fills it.
        ///
        /// - Parameters:
        ///   - size: the rectangle, in pixels.
        ///   - mode: whether the whole picture is inside (`fit`) or the whole rectangle is covered (`fill`).
        ///   - crop: whether a picture that fills the rectangle is cut to exactly its size, centred. Has no effect
        ///     with `fit`. A side where the picture is smaller, and may not be enlarged, keeps the picture's length.
        ///   - upscale: whether smaller pictures are enlarged. Off, since it costs memory and shows nothing more.
        ///   - filter: how colours are computed. Lanczos 3, which keeps most detail: decoders hand over pictures that
        ///     are at most twice as large, and there its price is small.
        public init(
            size: PixelSize, mode: ContentMode = .fit, crop: Bool = false, upscale: Bool = false,
            filter: ResizeFilter = .lanczos3
        ) {
            target = TargetSize(size, mode: mode, upscale: upscale)
            self.crop = crop && mode == .fill
            self.filter = filter
        }

        /// Makes pictures `width` pixels wide.
        public init(width: Int, upscale: Bool = false, filter: ResizeFilter = .lanczos3) {
            self.init(size: PixelSize(width: width, height: Resize.free), upscale: upscale, filter: filter)
        }

        /// Makes pictures `height` pixels high.
        public init(height: Int, upscale: Bool = false, filter: ResizeFilter = .lanczos3) {
            self.init(size: PixelSize(width: Resize.free, height: height), upscale: upscale, filter: filter)
        }

        /// All parameters, like `firn/resize?s=400x300,m=fill,c=1,u=0,f=lanczos3`; a free side is `*`.
        public var identifier: String {
            let width = target.size.width == Resize.free ? "*" : "\(target.size.width)"
            let height = target.size.height == Resize.free ? "*" : "\(target.size.height)"
            return "firn/resize?s=\(width)x\(height),m=\(target.mode.rawValue),c=\(crop ? 1 : 0)"
                + ",u=\(target.upscale ? 1 : 0),f=\(filter.rawValue)"
        }

        /// The size wanted: a decoder need not decode more pixels than that.
        public var decodingTarget: TargetSize? { target }

        /// The resized picture; `container` as it is where there is nothing to do.
        ///
        /// - Throws: ``/FirnImage/BitmapError`` if there is no memory; `CancellationError`.
        public func process(
            _ container: ImageContainer, cancellation: CancellationFlag
        ) throws -> ImageContainer {
            let scaled = target.resolved(for: container.image.size)
            var container = container
            container.image = try container.image.resized(
                to: scaled, columns: kept(of: scaled.width, target.size.width),
                rows: kept(of: scaled.height, target.size.height), filter: filter, cancellation: cancellation)
            return container
        }

        /// The middle of `length` pixels, `wanted` long where that is shorter and cropping is on.
        private func kept(of length: Int, _ wanted: Int) -> Range<Int> {
            guard crop, wanted > 0, wanted < length else { return 0..<length }
            let start = (length - wanted) / 2
            return start..<start + wanted
        }
    }
}
