import CFirnCodecs
import FirnSync
import FoundationEssentials

/// The color conversion of one image, decided once before its first row.
///
/// Invariant: without a conversion, or with one in place, `decoded` and `output` are equal.
struct ColorPlan {
    /// The conversion from decoded samples to the image's samples.
    enum Step {
        /// No conversion: both are the same.
        case none
        /// A color transform, in place if the layouts are equal.
        case transform(any ColorConverting)
        /// Widens bytes to 16-bit words.
        case widen
    }

    /// The layout that the decoder writes.
    let decoded: SampleLayout
    /// The layout of the image's samples before they are multiplied by alpha.
    let output: SampleLayout
    /// The conversion between the two.
    let step: Step
}

extension ColorPlan {
    /// Decides the conversion for an image requested as `format`.
    ///
    /// - Parameter converts: whether colors are converted. If not, half floats interpret stored values as sRGB, and
    ///   inks use the decoder's simple conversion.
    /// - Parameter target: the colors of the result, unless it has half floats. Default: sRGB.
    /// - Parameter workers: read color profiles; `nil` (the default) for this process.
    /// - Throws: ``ImageError`` if a worker ended, or no colors can be converted to the target.
    init(
        _ properties: ImageProperties, format: PixelFormat, converts: Bool, target: ColorTarget = ColorTarget(),
        _ workers: CodecWorkers? = nil
    ) throws(ImageError) {
        let output = SampleLayout(of: format)
        let target = output == .rgbaHalf ? ColorTarget() : target
        let source = converts ? ColorSource(properties) : nil
        let isInk = properties.colorSpace == "cmyk" || properties.colorSpace == "ycck"
        let stored: SampleLayout = properties.bitDepth > 8 && !isInk ? .rgba16 : .rgba8
        // Inks are decoded as CMYK only if a profile describes their colors. HDR transfer functions need all stored
        // bits.
        let special: SampleLayout? =
            switch source {
            case .profile(let profile) where profile.model == .cmyk: .cmyk8
            case .description(let description) where description.isHighDynamicRange: stored
            default: nil
            }
        let isWide = format.isWide
        var isSame = false
        for layout in [special, isWide ? stored : output].compactMap({ $0 }) {
            guard let source else { continue }
            let (result, conversion) = try ColorPlan.conversion(of: source, from: layout, to: output, target, workers)
            if let conversion {
                self.init(decoded: layout, output: output, step: .transform(conversion))
                return
            }
            if result == FIRN_COLOR_SAME { isSame = true }
        }
        // The colors are those of the target, or unknown or unusable and count as sRGB.
        let layout = isWide ? stored : output
        if output == .rgbaHalf || (converts && !isSame && target.profile != nil),
            let conversion = try ColorPlan.conversion(
                of: .description(ColorDescription()), from: layout, to: output, target, nil
            ).conversion
        {
            self.init(decoded: layout, output: output, step: .transform(conversion))
        } else if output == .rgba16, stored == .rgba8 {
            self.init(decoded: stored, output: output, step: .widen)
        } else {
            self.init(decoded: output, output: output, step: .none)
        }
    }

    /// Returns the number of rows of `width` pixels that are converted at once.
    func rowsAtOnce(width: Int) -> Int {
        let usual = decoded.rowsAtOnce(width: width)
        guard case .transform(let conversion) = step, let row = decoded.rowBytes(width: width) else { return usual }
        return max(usual, conversion.bytesAtOnce / row)
    }

    /// True if samples are decoded into a separate buffer, from which the image's samples are computed.
    var needsStrip: Bool { decoded != output }

    private struct Key: Equatable {
        var source: ColorSource
        var from: SampleLayout
        var to: SampleLayout
        var target: ColorTarget
    }

    /// The transforms used most recently, `nil` where there is none. Creating one takes as long as converting thousands
    /// of pixels, and most images share a few profiles.
    private static let transforms = RecentValues<Key, ColorTransform.Made>(capacity: 16)
    /// The results of making transforms in workers.
    private static let results = RecentValues<ProfileTransform, firn_color_result>(capacity: 16)

    /// Returns the conversion of a source's colors from one layout to another; `nil` if none is needed or possible.
    ///
    /// - Parameter workers: read profiles; `nil` for this process.
    /// - Throws: ``ImageError`` if a worker ended, or no colors can be converted to the target.
    static func conversion(
        of source: ColorSource, from: SampleLayout, to: SampleLayout, _ target: ColorTarget, _ workers: CodecWorkers?
    ) throws(ImageError) -> (result: firn_color_result, conversion: (any ColorConverting)?) {
        let result: firn_color_result
        var conversion: (any ColorConverting)?
        // Descriptions are a few numbers, which no library parses.
        if case .profile(let profile) = source, let workers {
            let transform = ProfileTransform(profile: profile, from: from, to: to, target: target)
            result = try results.value(for: transform) { () throws(ImageError) in
                try RemoteTransform(transform, workers).result()
            }
            if result == FIRN_COLOR_TRANSFORM { conversion = RemoteTransform(transform, workers) }
        } else {
            let made = transforms.value(for: Key(source: source, from: from, to: to, target: target)) {
                ColorTransform.make(source, from: from, to: to, target)
            }
            (result, conversion) = (made.result, made.transform)
        }
        // Code points of HDR are no target, because tone mapping needs one in SDR.
        if result == FIRN_COLOR_BAD_TARGET || target.profile?.icc.isEmpty == true {
            throw ImageError(.request, at: .decoding, "no colors can be converted to the target's profile")
        }
        return (result, conversion)
    }
}

/// The colors of a converted image.
struct ColorTarget: Hashable {
    /// The color space; `nil` for sRGB.
    var profile: ColorProfile?
    /// The rule for colors that it lacks.
    var intent = ColorProfile.RenderingIntent.perceptual

    /// Calls `body` with the C form, valid during the call.
    func withTarget<Result>(_ body: (UnsafePointer<firn_target>) -> Result) -> Result {
        (profile?.icc ?? Data()).withUnsafeBytes { bytes in
            let icc = profile == nil ? nil : bytes.bindMemory(to: UInt8.self).baseAddress
            var target = firn_target(icc: icc, length: bytes.count, relative: intent == .relative)
            return body(&target)
        }
    }
}

extension SampleLayout {
    /// The samples of a pixel format before they are multiplied by alpha.
    init(of format: PixelFormat) {
        self =
            switch format {
            case .bgra8Premultiplied: .bgra8
            case .rgba8Straight: .rgba8
            case .rgb8: .rgb8
            case .rgba16Straight: .rgba16
            case .rgbaHalfPremultiplied: .rgbaHalf
            }
    }

    /// The corresponding value of the C interface.
    var library: firn_layout {
        switch self {
        case .bgra8: FIRN_LAYOUT_BGRA
        case .rgba8: FIRN_LAYOUT_RGBA
        case .rgb8: FIRN_LAYOUT_RGB
        case .cmyk8: FIRN_LAYOUT_CMYK
        case .rgba16: FIRN_LAYOUT_RGBA16
        case .rgbaHalf: FIRN_LAYOUT_RGBA_HALF
        }
    }
}

/// Converts the colors of one image: in this process, or in a worker.
protocol ColorConverting {
    /// The least bytes of decoded rows to convert at once.
    var bytesAtOnce: Int { get }

    /// Fills `target` from `samples`; both must have the layouts that the conversion was made for.
    ///
    /// Safety: `samples` holds as many rows of as many pixels as `target`; both may be the same memory if their layouts
    /// are equal.
    ///
    /// - Throws: ``ImageError`` if the worker ended.
    func apply(_ samples: UnsafeRawPointer, bytesPerRow: Int, to target: PixelBlock) throws(ImageError)
}

/// The source of an image's color interpretation: a profile or a description.
enum ColorSource: Hashable {
    case profile(ColorProfile)
    case description(ColorDescription)

    /// Chooses the source for an image; `nil` if the colors are sRGB because the file says nothing else.
    ///
    /// A profile takes precedence, except over the code points of a PNG, which override it. A profile of another color
    /// model than the pixels' is ignored, as by all decoders; gray pixels may have an RGB profile.
    ///
    /// - Source: PNG (third edition) §4.3, table 1 (cICP, iCCP, sRGB, gAMA and cHRM in this order); ISO/IEC 23000-22
    ///   §7.3.6.4 for files that hold both.
    init?(_ properties: ImageProperties) {
        let profile = properties.colorProfile.flatMap { ColorSource.fits($0, properties.colorSpace) ? $0 : nil }
        let isInk = properties.colorSpace == "cmyk" || properties.colorSpace == "ycck"
        let description = isInk ? nil : properties.colorDescription
        let isPNG = properties.format == .png || properties.format == .apng
        let hasCodePoints = description?.primariesCode != nil || description?.transferCode != nil
        if let description, profile == nil || (isPNG && hasCodePoints) {
            self = .description(description)
        } else if let profile {
            self = .profile(profile)
        } else {
            return nil
        }
    }

    private static func fits(_ profile: ColorProfile, _ space: String) -> Bool {
        switch space {
        case "gray": profile.model == .gray || profile.model == .rgb
        case "cmyk", "ycck": profile.model == .cmyk
        default: profile.model == .rgb
        }
    }
}

extension firn_color {
    /// Converts the description to the C interface's type; omits numbers that no file can hold.
    init(_ description: ColorDescription) {
        self.init()
        primaries = UInt16(clamping: description.primariesCode ?? 0)
        transfer = UInt16(clamping: description.transferCode ?? 0)
        gamma = firn_color.parts(description.gamma ?? 0) ?? 0
        guard let points = description.primaries else { return }
        let all = [points.white, points.red, points.green, points.blue].flatMap { [$0.x, $0.y] }
        let numbers = all.compactMap { firn_color.parts($0) }
        guard numbers.count == 8 else { return }
        has_chromaticities = true
        chromaticities = (
            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]
        )
    }

    /// Returns `number` in units of 1/100,000.
    private static func parts(_ number: Double) -> UInt32? {
        let scaled = (number * 100_000).rounded()
        return scaled >= 0 && scaled <= 1e9 ? UInt32(saturating: scaled) : nil
    }
}

extension ColorProfile {
    /// Creates a profile of the color space that a file describes; `nil` if that is sRGB, or there is no memory. For
    /// high dynamic range, it has no ICC bytes, because ICC profiles state no luminance.
    init?(describing description: ColorDescription, light: ImageLight = ImageLight()) {
        guard !description.isHighDynamicRange else {
            self.init(icc: Data(), describing: description, light: light)
            return
        }
        var color = firn_color(description)
        var length = 0
        guard let bytes = firn_described_icc(&color, &length) else { return nil }
        self.init(icc: Data(bytesNoCopy: bytes, count: length, deallocator: .free), describing: description)
    }

    /// Creates the color space of code points: PQ and HLG with their mastering data, or a profile of other ones.
    ///
    /// With it, ``/FirnImage/Bitmap/assigningColorProfile(_:)`` marks values that a program computed.
    ///
    /// Fails if the colors are those of sRGB.
    public init?(light: ImageLight) {
        var description = ColorDescription()
        (description.primariesCode, description.transferCode) = (light.primaries, light.transfer)
        self.init(describing: description, light: light)
    }

    /// Display P3: the primaries of DCI-P3, the white point and the transfer function of sRGB. `nil` only if there is
    /// no memory.
    public static let displayP3 = ColorProfile(isAdobe: false)
    /// Adobe RGB (1998). `nil` only if there is no memory.
    public static let adobeRGB = ColorProfile(isAdobe: true)

    private init?(isAdobe: Bool) {
        var length = 0
        guard let bytes = firn_named_icc(isAdobe, &length) else { return nil }
        self.init(icc: Data(bytesNoCopy: bytes, count: length, deallocator: .free))
    }
}

extension ImageProperties {
    /// Returns whether a file of `format` can hold the stored values of the image and their color space.
    package func keepsColors(in format: ImageFormat) -> Bool {
        if !format.storesProfiles { return false }
        return switch ColorSource(self) {
        case nil: false
        case .profile(let profile): profile.model == .rgb
        case .description(let description):
            !description.isHighDynamicRange || format.storesHDR(light)
        }
    }

    /// True if the values are those of PQ or HLG. A profile takes the place of code points, except in PNG.
    package var isHighDynamicRange: Bool {
        if case .description(let description) = ColorSource(self) { description.isHighDynamicRange } else { false }
    }
}

extension ImageFormat {
    /// True if files can hold a color profile.
    package var storesProfiles: Bool { self != .gif && self != .ico }

    /// Returns whether files are written with the PQ or HLG values of `light`. JPEG XL has few primaries by name.
    package func storesHDR(_ light: ImageLight) -> Bool {
        self == .jxl ? [1, 9, 12].contains(light.primaries ?? 1) : self == .png || self == .avif
    }
}

extension Bitmap {
    /// Returns the image tone-mapped to sRGB, in the same layout; the image itself if it has no PQ or HLG values.
    ///
    /// - Throws: ``ImageError`` if there is no memory.
    package func toneMapped() throws(ImageError) -> Bitmap {
        guard light.dynamicRange != nil, let description = colorProfile?.description else { return self }
        let wide = try converted(to: .rgba16Straight)
        let source = ColorSource.description(description)
        let (_, transform) = try ColorPlan.conversion(of: source, from: .rgba16, to: .rgba16, ColorTarget(), nil)
        guard let transform else { return self }
        let mapped = try Bitmap(size: size, format: .rgba16Straight, isOpaque: isOpaque) { pixels in
            try wide.withUnsafeBytes { bytes throws(ImageError) in
                guard let base = bytes.baseAddress else { return }
                try transform.apply(
                    base, bytesPerRow: wide.bytesPerRow, to: PixelBlock(pixels, rows: 0..<size.height))
            }
        }
        return try mapped.converted(to: format)
    }
}
