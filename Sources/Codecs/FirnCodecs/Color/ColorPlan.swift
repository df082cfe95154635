import CFirnCodecs
import FirnImage

/// The color conversion of one image, decided once before its first row.
///
/// Invariant: without a conversion, or with one in place, `decoded` and `given` are equal.
struct ColorPlan {
    /// The conversion from decoded samples to the image's samples.
    enum Step {
        /// No conversion: both are the same.
        case none
        /// A color transform, in place if the layouts are equal.
        case transform(Conversion)
        /// Widens bytes to 16-bit words.
        case widen
    }

    /// The process that converts colors.
    enum Conversion {
        case own(ColorTransform)
        /// In a worker.
        case remote(RemoteTransform)

        /// Fills `target` from `samples`; both must have the layouts that the conversion was made for.
        ///
        /// Safety: `samples` holds as many rows of as many pixels as `target`; both may be the same memory if their
        /// layouts are equal.
        ///
        /// - Throws: ``ImageDecodingError`` if the worker ended.
        func apply(_ samples: UnsafeRawPointer, bytesPerRow: Int, to target: PixelBlock) throws(ImageDecodingError) {
            switch self {
            case .own(let transform): transform.apply(samples, bytesPerRow: bytesPerRow, to: target)
            case .remote(let transform): try transform.apply(samples, bytesPerRow: bytesPerRow, to: target)
            }
        }
    }

    /// The layout that the decoder writes.
    let decoded: SampleLayout
    /// The layout of the image's samples before they are multiplied by alpha.
    let given: SampleLayout
    /// The conversion between the two.
    let step: Step

    /// Decides the conversion for an image requested as `format`.
    ///
    /// - Parameter converts: whether colors are converted to sRGB. If not, half floats interpret stored values as sRGB,
    ///   and inks use the decoder's simple conversion.
    /// - Parameter workers: read color profiles; `nil` (the default) for this process.
    /// - Throws: ``ImageDecodingError`` if a worker ended.
    init(
        _ properties: ImageProperties, format: PixelFormat, converts: Bool, _ workers: CodecWorkers? = nil
    ) throws(ImageDecodingError) {
        let given = SampleLayout(of: format)
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
        for layout in [special, isWide ? stored : given].compactMap({ $0 }) {
            guard let source, let conversion = try Conversion.of(source, from: layout, to: given, workers) else {
                continue
            }
            self.init(decoded: layout, given: given, step: .transform(conversion))
            return
        }
        // The colors are unknown, unusable, or already sRGB.
        if given == .rgbaHalf,
            let light = try Conversion.of(.description(ColorDescription()), from: stored, to: given, nil)
        {
            self.init(decoded: stored, given: given, step: .transform(light))
        } else if given == .rgba16, stored == .rgba8 {
            self.init(decoded: stored, given: given, step: .widen)
        } else {
            self.init(decoded: given, given: given, step: .none)
        }
    }

    private init(decoded: SampleLayout, given: SampleLayout, step: Step) {
        self.decoded = decoded
        self.given = given
        self.step = step
    }

    /// Returns the number of rows of `width` pixels that are converted at once.
    func rowsAtOnce(width: Int) -> Int {
        let usual = SourceRows.rowsAtOnce(width: width, decoded)
        guard case .transform(.remote) = step, let row = SourceRows.rowBytes(width: width, decoded) else {
            return usual
        }
        // Each batch is a message to a worker.
        return max(usual, RemoteTransform.bytesAtOnce / row)
    }

    /// True if samples are decoded into a separate buffer, from which the image's samples are computed.
    var needsStrip: Bool { decoded != given }
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
