extension ImageProcessors {
    /// Resizes an image.
    package struct Resize: ImageProcessor, Hashable {
        /// The target size, and whether the image fits into it or fills it.
        package let target: TargetSize
        /// True to crop the image to the target.
        package let crop: Bool
        /// The part that a crop keeps.
        package let anchor: ImageProcessingOptions.Anchor
        /// True to stretch both sides to the target's, ignoring the aspect ratio.
        package let isExact: Bool
        package let filter: ResizeFilter
        /// True if encoded colors are mixed in linear light.
        package let usesLinearLight: Bool

        /// The length of a free side: larger than any image.
        private static let free = Int(Int32.max)

        /// The identifier with all parameters, like `firn/resize?s=400x300,m=fill,c=1,u=0,f=lanczos3`. A free side is
        /// `*`. Parameters after the filter appear only if they differ from the default: `a` anchor, `x` exact, `l`
        /// linear light.
        package var identifier: String {
            let width = target.size.width == Resize.free ? "*" : "\(target.size.width)"
            let height = target.size.height == Resize.free ? "*" : "\(target.size.height)"
            return "firn/resize?s=\(width)x\(height),m=\(target.mode.rawValue),c=\(crop ? 1 : 0)"
                + ",u=\(target.upscale ? 1 : 0),f=\(filter.rawValue)"
                + (anchor == .center ? "" : ",a=\(anchor.rawValue)") + (isExact ? ",x=1" : "")
                + (usesLinearLight ? ",l=1" : "")
        }

        /// The target size; a decoder need not decode more pixels.
        ///
        /// `nil` for linear light, because decoders that scale mix encoded colors.
        package var decodingTarget: TargetSize? { target.size.isEmpty || usesLinearLight ? nil : target }

        /// Returns the resized image, or `image` itself if it already has the size.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try resize(image, run) { $0 }
        }

        package func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap? {
            try resize(map, of: image, run) { $0 }
        }

        /// Returns the area of the resized image that `part` chooses, without computing the rest.
        ///
        /// - Parameter turning: the rotation that the caller applies to the result. The target refers to the rotated
        ///   image.
        func resize(
            _ image: Bitmap, turnedBy turning: ImageOrientation = .up, _ run: ProcessingRun,
            part: (PixelArea) throws -> PixelArea
        ) throws -> Bitmap {
            let (scaled, area) = try plan(image, turnedBy: turning, run, part: part)
            try run.admit(area.size, image.format)
            return try image.resized(to: scaled, area, filter: filter, inLinearLight: usesLinearLight, run)
        }

        /// Returns the map of the area that `part` chooses, as ``resize(_:turnedBy:_:part:)`` does of the image.
        func resize(
            _ map: GainMap, of image: Bitmap, turnedBy turning: ImageOrientation = .up, _ run: ProcessingRun,
            part: (PixelArea) throws -> PixelArea
        ) throws -> GainMap? {
            let (scaled, area) = try plan(image, turnedBy: turning, run, part: part)
            return try map.cropped(to: area, of: scaled, run)
        }

        /// Returns the size of the whole resized image, and the area that `part` chooses, both as stored.
        private func plan(
            _ image: Bitmap, turnedBy turning: ImageOrientation, _ run: ProcessingRun,
            part: (PixelArea) throws -> PixelArea
        ) throws -> (scaled: PixelSize, area: PixelArea) {
            guard !target.size.isEmpty else { throw run.wrong("the size wanted, \(target.size), is empty") }
            let shown = scaledSize(
                of: turning.displaySize(of: image.size), original: run.originalSize.map { turning.displaySize(of: $0) })
            let area = try part(kept(of: shown, image, run))
            let scaled = turning.displaySize(of: shown)
            return (scaled, turning.storedArea(of: area, in: scaled))
        }

        /// Returns the size before the crop.
        ///
        /// - Parameter original: the image's size in its file. A scaling decoder rounds the sides, so a target computed
        ///   from them may be one pixel smaller than a target computed from the original size.
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

        /// Returns the area of the scaled image to keep. An image that is smaller than the target keeps the target's
        /// aspect ratio.
        private func kept(of scaled: PixelSize, _ image: Bitmap, _ run: ProcessingRun) throws -> PixelArea {
            let part = crop ? TargetSize(scaled).resolved(for: target.size) : scaled
            var start = anchor.start(of: part, in: scaled)
            if anchor == .attention, part != scaled {
                start = try AttentionMap(image, run).start(of: part, in: scaled)
            }
            return PixelArea(x: start.column, y: start.row, size: part)
        }
    }
}

extension ImageProcessors.Resize {
    /// Creates a processor that resizes images to fit into `size` or to fill it. By default a crop fills it.
    ///
    /// - Parameter filter: the resampling filter. Default: Lanczos 3, which keeps the most detail. Decoders return
    ///   images at most twice as large, so its cost is small.
    package init(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, mode: ImageContentMode? = nil,
        crop: Bool = false, anchor: ImageProcessingOptions.Anchor = .center, upscale: Bool = false,
        filter: ResizeFilter = .lanczos3, linearLight: Bool = false
    ) {
        var target = TargetSize(unit.wholePixels(size), mode: mode ?? (crop ? .fill : .fit), upscale: upscale)
        if target.size.width == 0, target.size.height > 0, target.size.height < Self.free {
            target = TargetSize(width: Self.free, height: target.size.height, upscale: upscale)
        } else if target.size.height == 0, target.size.width > 0, target.size.width < Self.free {
            target = TargetSize(width: target.size.width, height: Self.free, upscale: upscale)
        }
        let isCropped = crop && target.mode == .fill
        self.init(
            target: target, crop: isCropped, anchor: isCropped ? anchor : .center, isExact: false, filter: filter,
            usesLinearLight: linearLight)
    }

    /// Creates a processor that stretches images to exactly `size`, ignoring their aspect ratio.
    package init(
        exactly size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false,
        filter: ResizeFilter = .lanczos3, linearLight: Bool = false
    ) {
        self.init(
            target: TargetSize(unit.wholePixels(size), mode: .fill, upscale: upscale), crop: false,
            anchor: .center, isExact: true, filter: filter, usesLinearLight: linearLight)
    }

    /// Creates a processor that resizes images to a width or a height. A side that is not given is not limited.
    package init(
        width: Int? = nil, height: Int? = nil, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false,
        filter: ResizeFilter = .lanczos3, linearLight: Bool = false
    ) {
        let size = PixelSize(
            width: width.map(unit.wholePixels) ?? Self.free, height: height.map(unit.wholePixels) ?? Self.free)
        self.init(size: size, upscale: upscale, filter: filter, linearLight: linearLight)
    }
}

extension PixelSize {
    /// Returns whether this is the size of a reduced copy of an image of `original` pixels, each side rounded up or
    /// down.
    fileprivate func isReduction(of original: PixelSize) -> Bool {
        let limit = 1 << 30
        guard original.covers(self), original.width < limit, original.height < limit else { return false }
        return abs(width * original.height - height * original.width) <= original.width + original.height
    }
}
