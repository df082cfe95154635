public import FirnImage

extension ImageProcessors {
    /// Brings an image to a size in pixels.
    public struct Resize: ImageProcessing, Hashable {
        /// The size wanted and how it is read.
        public let target: TargetSize
        /// Whether what stands over the target is cut off.
        public let crop: Bool
        /// What stays when something is cut off.
        public let anchor: ImageProcessingOptions.Anchor
        /// Whether both sides are stretched to the target's, aspect not kept.
        public let isExact: Bool
        /// How colors are computed.
        public let filter: ResizeFilter
        /// Whether encoded colors are mixed as the light that they stand for.
        public let usesLinearLight: Bool

        /// A side that does not bind: larger than any image.
        private static let free = Int(Int32.max)

        /// Fits images into `size`, or fills it.
        ///
        /// - Parameters:
        ///   - size: the rectangle.
        ///   - unit: what `size` is counted in. Default: pixels.
        ///   - mode: whether the whole image is inside (`fit`) or the whole rectangle is covered (`fill`).
        ///   - crop: whether an image that fills the rectangle is cut to exactly its size. Has no effect
        ///     with `fit`. A side where the image is smaller, and may not be enlarged, keeps the image's length.
        ///   - anchor: what stays when something is cut off. Default: the middle.
        ///   - upscale: whether smaller images are enlarged. Off, since it costs memory and shows nothing more.
        ///   - filter: how colors are computed. Lanczos 3, which keeps most detail: decoders hand over images that
        ///     are at most twice as large, and there its price is small.
        ///   - linearLight: whether encoded colors are mixed as the light that they stand for. Keeps fine bright detail
        ///     on dark ground as bright as it looks from afar, but rings darker and takes three times as long. Off, as in
        ///     decoders that scale.
        public init(
            size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, mode: ContentMode = .fit, crop: Bool = false,
            anchor: ImageProcessingOptions.Anchor = .center, upscale: Bool = false, filter: ResizeFilter = .lanczos3,
            linearLight: Bool = false
        ) {
            let isCropped = crop && mode == .fill
            self.init(
                TargetSize(Resize.pixels(size, unit), mode: mode, upscale: upscale), crop: isCropped,
                anchor: isCropped ? anchor : .center, isExact: false, filter, linearLight)
        }

        /// Stretches images to exactly `size`, whatever their aspect.
        ///
        /// - Parameter upscale: whether sides that are shorter are stretched; otherwise they keep their length.
        public init(
            exactly size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false,
            filter: ResizeFilter = .lanczos3, linearLight: Bool = false
        ) {
            self.init(
                TargetSize(Resize.pixels(size, unit), mode: .fill, upscale: upscale), crop: false, anchor: .center,
                isExact: true, filter, linearLight)
        }

        /// Makes images `width` wide.
        public init(
            width: Int, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false,
            filter: ResizeFilter = .lanczos3, linearLight: Bool = false
        ) {
            let size = PixelSize(width: unit.wholePixels(width), height: Resize.free)
            self.init(size: size, upscale: upscale, filter: filter, linearLight: linearLight)
        }

        /// Makes images `height` high.
        public init(
            height: Int, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false,
            filter: ResizeFilter = .lanczos3, linearLight: Bool = false
        ) {
            let size = PixelSize(width: Resize.free, height: unit.wholePixels(height))
            self.init(size: size, upscale: upscale, filter: filter, linearLight: linearLight)
        }

        private init(
            _ target: TargetSize, crop: Bool, anchor: ImageProcessingOptions.Anchor, isExact: Bool,
            _ filter: ResizeFilter, _ linearLight: Bool
        ) {
            self.target = target
            self.crop = crop
            self.anchor = anchor
            self.isExact = isExact
            self.filter = filter
            usesLinearLight = linearLight
        }

        private static func pixels(_ size: PixelSize, _ unit: ImageProcessingOptions.Unit) -> PixelSize {
            if unit == .pixels { return size }
            return PixelSize(width: unit.wholePixels(size.width), height: unit.wholePixels(size.height))
        }

        /// All parameters, like `firn/resize?s=400x300,m=fill,c=1,u=0,f=lanczos3`; a free side is `*`, and what is as
        /// usual is left out behind the filter: `a` anchor, `x` exact, `l` linear light.
        public var identifier: String {
            let width = target.size.width == Resize.free ? "*" : "\(target.size.width)"
            let height = target.size.height == Resize.free ? "*" : "\(target.size.height)"
            return "firn/resize?s=\(width)x\(height),m=\(target.mode.rawValue),c=\(crop ? 1 : 0)"
                + ",u=\(target.upscale ? 1 : 0),f=\(filter.rawValue)"
                + (anchor == .center ? "" : ",a=\(anchor.rawValue)") + (isExact ? ",x=1" : "")
                + (usesLinearLight ? ",l=1" : "")
        }

        /// The size wanted: a decoder need not decode more pixels than that.
        ///
        /// None in linear light: decoders that scale mix colors as they are stored.
        public var decodingTarget: TargetSize? { target.size.isEmpty || usesLinearLight ? nil : target }

        /// The resized image; `container` as it is where there is nothing to do.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if the target is empty or the result beyond a limit; ``/FirnImage/BitmapError`` if
        ///   there is no memory; `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.Resize: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try resize(image, run) { ($0, $1) }
    }

    /// The resized image, of which `part` chooses columns and rows further: only those are computed.
    ///
    /// - Parameter turning: the result is meant as that of the image turned like this, and is to be turned then.
    func resize(
        _ image: Bitmap, turnedBy turning: Orientation = .up, _ run: ProcessingRun,
        part: (Range<Int>, Range<Int>) throws -> (Range<Int>, Range<Int>)
    ) throws -> Bitmap {
        guard !target.size.isEmpty else { throw run.wrong("the size wanted, \(target.size), is empty") }
        let shown = scaledSize(
            of: turning.displaySize(of: image.size), original: run.originalSize.map { turning.displaySize(of: $0) })
        let kept = try kept(of: shown, image, run)
        var (columns, rows) = try part(kept.0, kept.1)
        try run.admit(PixelSize(width: columns.count, height: rows.count), image.format)
        let scaled = turning.displaySize(of: shown)
        (columns, rows) = turning.part(columns, rows, of: scaled)
        return try image.resized(
            to: scaled, columns: columns, rows: rows, filter: filter, inLinearLight: usesLinearLight, run)
    }

    /// The size before anything is cut off.
    ///
    /// - Parameter original: the image's size in its file. A decoder that reduces rounds its sides, and from those the
    ///   target's may come out a pixel less than from the file's own.
    func scaledSize(of source: PixelSize, original: PixelSize? = nil) -> PixelSize {
        guard isExact else {
            guard let original, source.isReduction(of: original) else { return target.resolved(for: source) }
            let wanted = target.resolved(for: original)
            return source.covers(wanted) ? wanted : target.resolved(for: source)
        }
        if target.upscale { return target.size }
        return PixelSize(
            width: min(target.size.width, source.width), height: min(target.size.height, source.height))
    }

    /// The columns and rows of the scaled image that stay.
    private func kept(
        of scaled: PixelSize, _ image: Bitmap, _ run: ProcessingRun
    ) throws -> (Range<Int>, Range<Int>) {
        let part = PixelSize(
            width: crop ? min(target.size.width, scaled.width) : scaled.width,
            height: crop ? min(target.size.height, scaled.height) : scaled.height)
        var start = (
            column: ImageProcessingOptions.Anchor.start(part.width, in: scaled.width, anchor.horizontal),
            row: ImageProcessingOptions.Anchor.start(part.height, in: scaled.height, anchor.vertical)
        )
        if anchor == .attention, part != scaled {
            start = try AttentionMap(image, run).start(of: part, in: scaled)
        }
        return (start.column..<start.column + part.width, start.row..<start.row + part.height)
    }
}

extension PixelSize {
    /// Whether it is that of a smaller copy of an image of `original` pixels, each side rounded up or down.
    fileprivate func isReduction(of original: PixelSize) -> Bool {
        let limit = 1 << 30
        guard original.covers(self), original.width < limit, original.height < limit else { return false }
        return abs(width * original.height - height * original.width) <= original.width + original.height
    }
}
