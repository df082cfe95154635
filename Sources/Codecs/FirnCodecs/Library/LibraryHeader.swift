import CFirnCodecs
import FoundationEssentials

/// The header of the C interface, converted to Swift.
struct LibraryHeader {
    let properties: ImageProperties
    /// The bytes that decoding holds apart from the image.
    let workingBytes: Int

    /// The number of surfaces that rendering a drawing holds at once.
    let surfaces: Int

    /// Copies all data that `raw` points to.
    init(_ raw: firn_header, format: ImageFormat) {
        var properties = ImageProperties(
            format: format, size: PixelSize(width: Int(raw.width), height: Int(raw.height)))
        properties.orientation = ImageOrientation(rawValue: Int(raw.orientation)) ?? .up
        properties.frameCount = Int(raw.frames)
        if raw.animated, let durations = raw.durations {
            properties.frameDurations = UnsafeBufferPointer(start: durations, count: Int(raw.frames)).map {
                .milliseconds(Int($0))
            }
        }
        properties.loopCount = raw.loops < 0 ? nil : Int(raw.loops)
        properties.hasAlpha = raw.alpha
        properties.bitDepth = Int(raw.bit_depth)
        properties.colorSpace = LibraryHeader.name(of: raw.space)
        properties.isProgressive = raw.progressive
        properties.colorProfile = LibraryHeader.copy(raw.icc, raw.icc_length).flatMap { ColorProfile(icc: $0) }
        properties.exif = LibraryHeader.copy(raw.exif, raw.exif_length)
        properties.xmp = LibraryHeader.copy(raw.xmp, raw.xmp_length)
        properties.colorDescription = ColorDescription(raw.color)
        properties.resolution =
            ImageResolution(perMeter: Int(raw.pixels_per_metre_x), Int(raw.pixels_per_metre_y))
            ?? properties.exif.flatMap { EXIFDirectories($0)?.resolution }
        if raw.vector_width > 0, raw.vector_height > 0 {
            properties.vectorSize = VectorSize(width: raw.vector_width, height: raw.vector_height)
        }
        self.properties = properties
        workingBytes = Int(clamping: raw.working_bytes)
        // No decoder of this build states more.
        surfaces = min(Int(raw.surfaces), 16)
    }

    private static func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Data? {
        guard let bytes, count > 0 else { return nil }
        return Data(bytes: bytes, count: count)
    }

    private static func name(of space: firn_space) -> String {
        switch space {
        case FIRN_SPACE_GRAY: "gray"
        case FIRN_SPACE_YCBCR: "ycbcr"
        case FIRN_SPACE_CMYK: "cmyk"
        case FIRN_SPACE_YCCK: "ycck"
        case FIRN_SPACE_INDEXED: "indexed"
        case FIRN_SPACE_LAB: "lab"
        default: "rgb"
        }
    }
}

extension ImageResolution {
    /// Creates the resolution of a file that counts pixels per meter; `nil` unless both numbers are above 0.
    init?(perMeter x: Int, _ y: Int) {
        guard x > 0, y > 0 else { return nil }
        self.init(horizontal: ImageResolution.exact(x), vertical: ImageResolution.exact(y))
    }

    /// Returns pixels per inch: a whole number if that is what the number per meter was rounded from.
    private static func exact(_ perMeter: Int) -> Double {
        let pixels = Double(perMeter) * 0.0254
        return abs(pixels - pixels.rounded()) <= 0.0127 ? pixels.rounded() : pixels
    }
}

extension ColorDescription {
    /// Converts the color description of a file; `nil` if the file states none.
    init?(_ raw: firn_color) {
        self.init()
        primariesCode = raw.primaries == 0 ? nil : Int(raw.primaries)
        transferCode = raw.transfer == 0 ? nil : Int(raw.transfer)
        gamma = raw.gamma == 0 ? nil : Double(raw.gamma) / 100_000
        if raw.has_chromaticities {
            let values = raw.chromaticities
            func point(_ x: UInt32, _ y: UInt32) -> Chromaticity { SIMD2(Double(x), Double(y)) / 100_000 }
            primaries = Primaries(
                white: point(values.0, values.1), red: point(values.2, values.3), green: point(values.4, values.5),
                blue: point(values.6, values.7))
        }
        if self == ColorDescription() { return nil }
    }
}
