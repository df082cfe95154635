import CFirnCodecs
import FirnImage
import FoundationEssentials

/// What a file says of itself, taken over from its C decoder.
struct LibraryHeader {
    let properties: ImageProperties
    let space: firn_space
    private let fixedBytes: Int

    init(_ raw: firn_header, format: ImageFormat) {
        var properties = ImageProperties(
            format: format, size: PixelSize(width: Int(raw.width), height: Int(raw.height)))
        properties.orientation = Orientation(rawValue: Int(raw.orientation)) ?? .up
        if raw.animated, let durations = raw.durations {
            properties.frameCount = Int(raw.frames)
            properties.frameDurations = UnsafeBufferPointer(start: durations, count: Int(raw.frames)).map { Int($0) }
        }
        properties.loopCount = raw.loops < 0 ? nil : Int(raw.loops)
        properties.hasAlpha = raw.alpha
        properties.bitDepth = Int(raw.bit_depth)
        properties.colorSpace = LibraryHeader.name(of: raw.space)
        properties.isProgressive = raw.progressive
        if let icc = raw.icc, raw.icc_length > 0 {
            properties.colorProfile = ColorProfile(icc: Data(bytes: icc, count: raw.icc_length))
        }
        self.properties = properties
        space = raw.space
        fixedBytes = Int(clamping: raw.working_bytes)
    }

    /// Throws if this picture cannot be had with `options`.
    func check(_ options: DecodingOptions) throws(DecodingError) {
        if options.frame != 0 {
            throw DecodingError(
                .unsupported, "only the first frame is decoded, not frame \(options.frame)", format: properties.format)
        }
        if options.pixelFormat == .rgb8, properties.hasAlpha {
            throw DecodingError(
                .unsupported, "has transparency, which the pixel format rgb8 cannot hold", format: properties.format)
        }
    }

    /// The stored size that is enough for `options`; `nil` where all stored pixels are wanted.
    func wantedSize(_ options: DecodingOptions) -> PixelSize? {
        guard let target = options.targetSize else { return nil }
        let displayed = target.resolved(for: properties.displaySize)
        let stored = properties.orientation.transposes ? displayed.transposed : displayed
        return stored.covers(properties.size) ? nil : stored
    }

    /// An estimate of what decoding holds at once.
    func workingBytes(for options: DecodingOptions, codec: firn_codec) -> Int {
        var size = properties.size
        if let wanted = wantedSize(options) {
            switch codec {
            case FIRN_CODEC_JPEG: size = LibraryHeader.eighths(of: size, covering: wanted)
            case FIRN_CODEC_WEBP where properties.frameDurations == nil: size = wanted
            default: break
            }
        }
        guard let row = try? Bitmap.bytesPerRow(width: size.width, format: options.pixelFormat) else { return Int.max }
        let turned = options.appliesOrientation && properties.orientation != .up
        let (result, overflow) = row.multipliedReportingOverflow(by: size.height)
        let (results, overflow2) = result.multipliedReportingOverflow(by: turned ? 2 : 1)
        let (total, overflow3) = results.addingReportingOverflow(fixedBytes)
        return overflow || overflow2 || overflow3 ? Int.max : total
    }

    /// The size at the smallest N/8 that covers `wanted`, as libjpeg-turbo rounds it.
    static func eighths(of size: PixelSize, covering wanted: PixelSize) -> PixelSize {
        for numerator in 1..<8 {
            let scaled = PixelSize(
                width: (size.width * numerator + 7) / 8, height: (size.height * numerator + 7) / 8)
            if scaled.covers(wanted) { return scaled }
        }
        return size
    }

    private static func name(of space: firn_space) -> String {
        switch space {
        case FIRN_SPACE_GRAY: "gray"
        case FIRN_SPACE_YCBCR: "ycbcr"
        case FIRN_SPACE_CMYK: "cmyk"
        case FIRN_SPACE_YCCK: "ycck"
        case FIRN_SPACE_INDEXED: "indexed"
        default: "rgb"
        }
    }
}
