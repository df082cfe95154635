import FirnImage
import FoundationEssentials

/// A file to decode, and the way to decode it.
///
/// The last bytes of the file choose the pieces and the options; they stay part of the file. So any image is a seed,
/// and any input that stops the fuzzer is a file for every decoder.
struct FuzzInput: CustomStringConvertible {
    let file: Data
    /// The last bytes, in reverse order.
    private let says: [UInt8]

    init(_ file: Data) {
        self.file = file
        says = Array(file.suffix(8).reversed()) + [UInt8](repeating: 0, count: 8)
    }

    /// The lengths of the pieces, in turn; the rest follows in further pieces.
    var pieceLengths: [Int] {
        // At most 64 pieces of each kind, so that a long file does not take minutes.
        let unit = says[0] % 2 == 0 ? 1 : file.count / 64 + 1
        return (0..<128).map { (Int(says[1 + $0 % 4]) % 64 + 1) * unit }
    }

    /// The decoding options.
    var options: DecodingOptions {
        var options = DecodingOptions()
        switch says[5] % 4 {
        case 0: options.pixelFormat = .rgba8Straight
        case 1: options.pixelFormat = .rgb8
        default: break
        }
        switch says[6] % 4 {
        case 0: options.targetSize = TargetSize(16)
        case 1: options.subsamplingLevel = 4
        case 2: options.subsamplingLevel = 8
        default: break
        }
        switch says[7] % 4 {
        case 0:
            options.region = .pixels(
                x: Int(says[1]), y: Int(says[2]), width: Int(says[3]) + 1, height: Int(says[4]) + 1)
        case 1:
            options.region = .fractions(
                x: Double(says[1]) / 300, y: Double(says[2]) / 300, width: (Double(says[3]) + 1) / 255,
                height: Double(says[4]) / 200)
        default: break
        }
        options.appliesColorProfile = says[5] & 0x80 == 0
        options.appliesOrientation = says[5] & 0x40 == 0
        options.allowsEmbeddedPreview = says[5] & 0x20 != 0
        return options
    }

    /// True if previews are decoded between pieces.
    var wantsPreviews: Bool { says[6] & 0x80 != 0 }

    /// The pieces and the options as text.
    var description: String {
        let options = options
        return "pieces of \(pieceLengths.prefix(4)), \(options.pixelFormat), "
            + "region \(options.region.map { "\($0)" } ?? "none"), target "
            + "\(options.targetSize.map { "\($0.size)" } ?? "none"), every \(options.subsamplingLevel), "
            + "profile \(options.appliesColorProfile), turned \(options.appliesOrientation), "
            + "previews \(wantsPreviews), embedded \(options.allowsEmbeddedPreview)"
    }

    /// Small limits, so that the fuzzer looks for wrong code and not for large images. libjxl takes a second for a
    /// megapixel under the sanitizer.
    var limits: ImageLimits {
        var limits = ImageLimits()
        limits.maximumBytes = 1 << 24
        limits.maximumPixels = ImageFormat(file) == .jxl ? 1 << 18 : 1 << 22
        limits.maximumResultBytes = 16 << 20
        limits.maximumScannedPixels = 1 << 24
        limits.maximumFrames = 256
        limits.maximumAnimationPixels = 64 << 20
        // A time limit would make outcomes depend on the machine.
        limits.maximumDecodingTime = nil
        return limits
    }
}
