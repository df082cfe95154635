import FirnSync

extension ConvertCommand {
    /// A converted image.
    struct Converted: Sendable {
        var data: Data
        let size: PixelSize
        let frames: Int
        let sourceFrames: Int
        /// True if the file is a copy of the source without some metadata.
        var isCopied = false
        /// True if transparent pixels were put on the background.
        var isFlattened = false
        /// The size of requested EXIF data that do not fit into the format, in bytes; `nil` if all were written.
        var omittedEXIF: Int?
        /// The quality in percent that was chosen for ``EncodingOptions/maxBytes``; `nil` if the first one fitted.
        var quality: Int?
        /// The properties of the source that the file lacks.
        var lost: [ConversionLoss] = []
    }

    /// Converts a file.
    ///
    /// - Parameter page: the frame for `--pages`; `nil` for all frames if the format has frames, otherwise the first.
    func convert(_ file: ImageFile, page: Int? = nil) throws -> Converted {
        if page == nil, let copy = copied(file) { return copy }
        let properties = try page.map { try file.properties(ofPage: $0) } ?? file.properties
        let isAnimated = file.properties.isAnimation
        if isAnimated, page == nil, !still, encoding.encoder(for: chosen) is any AnimationEncoding {
            return try animation(file)
        }
        var options = decoding(properties)
        options.prefersDefaultImage = !isAnimated && page == nil
        options.frame = page ?? 0
        let decoded = try file.decode(options)
        // A damaged map is lost.
        let reads = GainMap.formats.contains(chosen.format) || headroom.isHigh
        let map = reads && page == nil && options.frame == 0 ? try? file.decoder.gainMap() : nil
        var changed = try processed(decoded, properties, map)
        try headroom.render(&changed, for: chosen)
        let (image, isFlattened) = try writing.background.flattened(changed.image, for: chosen)
        let isMoved = processors.contains { ($0 as? ImageProcessors.Resize)?.crop != false }
        var written = EncodingMetadata(keeping: metadata.policy, of: properties, pixelsMoved: isMoved)
        written.gainMap = changed.gainMap
        if metadata.policy != .none {
            written.resolution = resolution(of: properties, decoded: decoded.size, result: image.size)
        }
        let isOmitted = chosen == .jpeg && written.exif.map { JPEGEncoder.leavesOut($0, of: image.size) } == true
        var result = try fitted { quality in
            Converted(
                data: try encoding.encoder(for: chosen, quality: quality)
                    .encode(image, metadata: written, cancellation: CancellationFlag()),
                size: image.size, frames: 1, sourceFrames: file.properties.frameCount, isFlattened: isFlattened,
                omittedEXIF: isOmitted ? written.exif?.count : nil)
        }
        let flattens = isFlattened || chosen == .gif && image.hasPartialAlpha
        result.lost = ConversionLoss.between(
            properties, file: result.data, of: chosen.format, frames: 1, flattens: flattens, file.limits)
        return result
    }

    /// Returns the resolution at which the new image prints as large as the source; `nil` if it is unknown.
    private func resolution(
        of properties: ImageProperties, decoded: PixelSize, result: PixelSize
    ) -> ImageResolution? {
        guard let stored = properties.resolution else { return nil }
        let upright = properties.orientation.transposes ? stored.transposed : stored
        let turns = processors.compactMap { ($0 as? ImageProcessors.Rotate)?.turn }
        let isTurned = turns.count { $0 != .half } % 2 == 1
        let resizes = processors.compactMap { $0 as? ImageProcessors.Resize }
        let cuts = processors.contains {
            $0 is ImageProcessors.Crop || $0 is ImageProcessors.Trim || $0 is ImageProcessors.Pad
        }
        if !resizes.isEmpty, cuts || resizes.contains(where: \.crop) { return nil }
        // The size of the whole image before it is turned.
        let whole = resizes.isEmpty ? decoded : isTurned ? result.transposed : result
        let resized = upright.resized(from: properties.displaySize, to: whole)
        return isTurned ? resized?.transposed : resized
    }

    /// Encodes, and searches for the highest quality whose file fits the byte limit.
    ///
    /// - Parameter encode: called with the quality; `nil` for that of the options.
    private func fitted(_ encode: (Double?) throws -> Converted) throws -> Converted {
        let first = try encode(nil)
        guard let limit = encoding.maxBytes?.bytes, first.data.count > limit else { return first }
        var best: Converted?
        var least = first.data.count
        var (low, high) = (1, max(1, Int(saturating: encoding.firstQuality(for: chosen) * 100) - 1))
        while low <= high {
            let middle = (low + high) / 2
            var candidate = try encode(Double(middle) / 100)
            least = min(least, candidate.data.count)
            if candidate.data.count <= limit {
                candidate.quality = middle
                best = candidate
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        guard let best else {
            throw ImageFault(
                "limit",
                "takes \(least) bytes at the lowest quality; --max-bytes allows \(limit); name a smaller --size"
            )
        }
        return best
    }

    private func animation(_ file: ImageFile) throws -> Converted {
        let properties = file.properties
        var options = decoding(properties)
        options.pixelFormat = .rgba8Straight
        var flattens = false
        var result = try fitted { quality in
            guard let encoder = encoding.encoder(for: chosen, quality: quality) as? any AnimationEncoding else {
                throw ImageFault("unsupported", "the format has no frames")
            }
            let (data, size, frames) = try encoder.encode(0..<properties.frameCount, of: file.decoder) { frame in
                options.frame = frame
                return try file.decode(options)
            } process: {
                let image = try processed($0, properties).image
                if chosen == .gif, !flattens { flattens = image.hasPartialAlpha }
                return image
            }
            return Converted(data: data, size: size, frames: frames, sourceFrames: properties.frameCount)
        }
        result.lost = ConversionLoss.between(
            properties, file: result.data, of: chosen.format, frames: result.frames, flattens: flattens, file.limits)
        return result
    }

    private func decoding(_ properties: ImageProperties) -> DecodingOptions {
        var options = DecodingOptions()
        let extent = properties.extent
        let keepsWords = [.png, .avif, .jxl, .tiff].contains(chosen)
        options.pixelFormat = properties.bitDepth > 8 && keepsWords ? .rgba16Straight : .rgba8Straight
        colors.apply(to: &options, properties, chosen.format)
        if headroom.isHigh {
            options.appliesColorProfile = true
            options.targetProfile = nil
            // Light outside the gamut of sRGB is kept.
            if properties.hasGainMap { options.pixelFormat = .rgbaHalfPremultiplied }
        }
        let composition = ImageProcessors.Composition.self
        options.targetSize =
            turnedSize?.target(for: extent) ?? TargetSize(scaling: extent, by: sizing.factor)
            ?? (properties.vectorSize == nil
                ? composition.decodingTarget(of: processors) : composition.renderingTarget(of: processors))
        return options
    }

    private func processed(
        _ image: Bitmap, _ properties: ImageProperties, _ map: GainMap? = nil
    ) throws -> ImageContainer {
        var container = ImageContainer(image: image, originalSize: properties.displaySize)
        container.vectorSize = properties.extent.vector
        container.gainMap = map
        return processors.isEmpty ? container : try ImageProcessors.Composition(processors).process(container)
    }

    /// Returns a copy of a file with its coded pixels and the metadata that `--keep` names; `nil` if the options change
    /// the pixels or the file cannot be copied.
    func copied(_ file: ImageFile) -> Converted? {
        let properties = file.properties
        guard let keep = metadata.keep, isUnchanged(properties), file.damage == nil, let data = file.data(),
            let copy = copy(of: data, properties, keep),
            let reopened = try? ImageFile(LoadSource(data: copy, name: ""), limits: file.limits),
            reopened.properties.shows(properties), reopened.damage == nil,
            reopened.decodesWhole
        else { return nil }
        return Converted(
            data: copy, size: properties.displaySize, frames: properties.frameCount,
            sourceFrames: properties.frameCount, isCopied: true,
            lost: ConversionLoss.between(
                properties, reopened.properties, frames: properties.frameCount, flattens: false))
    }

    private func copy(of data: Data, _ properties: ImageProperties, _ keep: EncodingMetadata.Policy) -> Data? {
        switch keep {
        // A copy has a profile, and the notice needs a new packet.
        case .none, .copyright: return nil
        case .profile:
            let exif = StrippedFile.exif(properties.orientation)
            return StrippedFile.copy(data, format: properties.format, exif: exif)
        case .all: return data
        case .allButPlace: return try? ImageMetadata.apply([.removePlace], toFile: data)
        }
    }

    /// Returns whether the options leave the format and the pixels of a file as they are.
    private func isUnchanged(_ properties: ImageProperties) -> Bool {
        let isSameFormat = properties.format == chosen.format || properties.format == .apng && chosen == .png
        let hasAllFrames = !still || properties.frameCount == 1
        return isSameFormat && hasAllFrames && !headroom.isHigh && sizing.size == nil && sizing.factor == nil
            && processors.isEmpty && encoding.isDefault && colors.keepsStored
    }
}

extension ImageFile {
    /// True if every frame can be decoded. A file with damaged pixels is encoded again, which reports the damage.
    fileprivate var decodesWhole: Bool {
        var options = DecodingOptions()
        for frame in 0..<properties.frameCount {
            options.frame = frame
            guard (try? decode(options)) != nil else { return false }
        }
        return true
    }
}
