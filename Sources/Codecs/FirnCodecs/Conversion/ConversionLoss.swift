import FirnSync
package import FoundationEssentials

/// A property of a source that the converted file lacks.
public enum ConversionLoss: String, Hashable, Sendable, CaseIterable {
    /// Frames of an animation, pages, or further images.
    case frames
    /// Durations of frames that are longer than the format can state.
    case durations
    /// The number of times that an animation is played.
    case repetitions
    /// Transparency: pixels were put on a background, or alpha was reduced to none or full.
    case alpha
    /// Bits of the samples.
    case depth
    /// High dynamic range, which was tone-mapped.
    case hdr
    /// A gain map, with which viewers show an image in high dynamic range.
    case gainMap
    /// A color space other than sRGB, to which colors were converted.
    case profile
    /// EXIF data, or some of their fields.
    case exif
    /// An XMP packet.
    case xmp
    /// IPTC records, of which the file has neither records nor all fields in XMP.
    case iptc
    /// Texts, comments and tags of the file format.
    case texts
    /// The resolution.
    case resolution

    /// The loss in words, for warnings.
    package var text: String {
        switch self {
        case .frames: "other frames or pages"
        case .durations: "durations of frames"
        case .repetitions: "number of plays"
        case .alpha: "transparency"
        case .depth: "bits of samples"
        case .hdr: "high dynamic range"
        case .gainMap: "gain map"
        case .profile: "color profile"
        case .exif: "EXIF data"
        case .xmp: "XMP"
        case .iptc: "IPTC records"
        case .texts: "texts"
        case .resolution: "resolution"
        }
    }

    /// Compares a source with the bytes of the converted file. If this build cannot read them, they count as bare
    /// pixels.
    package static func between(
        _ source: ImageProperties, file: Data, of format: ImageFormat, frames: Int, flattens: Bool,
        _ limits: ImageLimits,
        isolation: DecoderIsolation = .standard
    ) -> [ConversionLoss] {
        var limits = limits
        limits.maximumBytes = .max
        let bytes = MemoryByteSource(file)
        let made = try? SourceImage(bytes, isolation: isolation, limits: limits, CancellationFlag()).properties
        let bare = ImageProperties(format: format, size: source.size)
        return between(source, made ?? bare, frames: frames, flattens: flattens)
    }

    /// Compares the properties of a source with those of the converted file.
    ///
    /// - Parameters:
    ///   - source: the properties of the file, or of the page, that was converted.
    ///   - output: the properties of the new file.
    ///   - frames: the number of frames that were written; the file may merge equal ones.
    ///   - flattens: whether transparent pixels were put on a background, or lost levels of alpha.
    /// - Returns: the losses in the order of ``allCases``.
    package static func between(
        _ source: ImageProperties, _ output: ImageProperties, frames: Int, flattens: Bool
    ) -> [ConversionLoss] {
        let isAnimated = source.isAnimation && frames > 1
        var lost: Set<ConversionLoss> = []
        func check(_ loss: ConversionLoss, _ isLost: Bool) { if isLost { lost.insert(loss) } }
        check(.frames, frames < source.frameCount)
        check(.durations, isAnimated && frames == source.frameCount && output.isShorter(than: source, frames))
        check(.repetitions, isAnimated && source.repetitionCount != output.repetitionCount)
        check(.alpha, flattens)
        check(.depth, output.sampleBits < source.sampleBits)
        check(.hdr, source.isHighDynamicRange && !output.isHighDynamicRange)
        check(.gainMap, source.hasGainMap && !output.hasGainMap)
        check(.profile, source.hasOwnColors && !output.hasOwnColors)
        check(.exif, source.exifFieldCount > output.exifFieldCount)
        // A packet that states only the gain map is replaced by another, or by the format's own numbers.
        // A damaged packet is replaced by the fields of IPTC records.
        let isReplaced = source.xmp != output.xmp && source.xmp.map { XMPEditor($0) == nil } ?? false
        check(
            .xmp, GainMap.Metadata.hasOthers(source.xmp) && (isReplaced || !GainMap.Metadata.hasOthers(output.xmp)))
        check(.iptc, source.iptc != nil && output.iptc == nil && !ImageMetadata.keepsRecords(of: source, in: output))
        func hasTexts(_ image: ImageProperties) -> Bool { image.hasOtherTexts || !image.texts.isEmpty }
        check(.texts, hasTexts(source) && !hasTexts(output))
        check(.resolution, source.hasOwnResolution && !output.hasOwnResolution)
        return allCases.filter { lost.contains($0) }
    }
}

extension ImageProperties {
    /// The bits of a sample of a pixel; 8 for palette indices.
    fileprivate var sampleBits: Int { colorSpace == "indexed" ? 8 : max(8, bitDepth) }

    /// True if the gamut is not that of sRGB. Other transfer curves alone need no other gamut.
    fileprivate var hasOwnColors: Bool {
        switch ColorSource(self) {
        case nil: false
        case .profile(let profile): profile.name?.contains("sRGB") != true
        case .description(let description): description.hasOwnPrimaries
        }
    }

    /// The number of fields of EXIF data, without those of the thumbnail and those that describe the stored pixels,
    /// which a TIFF states itself.
    fileprivate var exifFieldCount: Int {
        guard let exif, let directories = EXIFDirectories(exif) else { return 0 }
        let pixels: Set = [
            0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0112, 0x0115, 0x011A, 0x011B, 0x011C, 0x0128, 0x0213,
        ]
        return EXIFDirectories.Place.allCases.reduce(0) { count, place in
            let entries = directories.entries(directories.offset(of: place))
            return count + entries.count { place != .main || !pixels.contains($0.tag) }
        }
    }

    /// True if the file states a resolution other than 72 pixels per inch, which cameras write for an unknown one.
    fileprivate var hasOwnResolution: Bool {
        resolution.map { $0 != ImageResolution(horizontal: 72, vertical: 72) } ?? false
    }

    /// Returns whether the frames are shown for a shorter time, beyond the rounding of formats that store hundredths of
    /// a second.
    fileprivate func isShorter(than other: ImageProperties, _ frames: Int) -> Bool {
        other.shownMilliseconds - shownMilliseconds > frames * 10
    }

    private var shownMilliseconds: Int {
        (frameDurations ?? []).reduce(0) { sum, duration in
            sum + (FrameProperties(size: size, duration: duration).displayDuration ?? .zero).wholeMilliseconds
        }
    }
}

extension ColorDescription {
    /// True if the primaries are not those of sRGB.
    fileprivate var hasOwnPrimaries: Bool {
        if let primariesCode { return primariesCode != 1 }
        guard let primaries else { return false }
        let srgb = Primaries(
            white: [0.3127, 0.3290], red: [0.64, 0.33], green: [0.30, 0.60], blue: [0.15, 0.06])
        func differs(_ a: Chromaticity, _ b: Chromaticity) -> Bool { abs(a.x - b.x) > 0.002 || abs(a.y - b.y) > 0.002 }
        return differs(primaries.white, srgb.white) || differs(primaries.red, srgb.red)
            || differs(primaries.green, srgb.green) || differs(primaries.blue, srgb.blue)
    }
}
