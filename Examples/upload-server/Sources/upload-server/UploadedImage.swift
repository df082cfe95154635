import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials

// snippet.upload-image
/// What the server makes of an upload: an upright WebP of at most 1600 x 1600 pixels in sRGB, and its BlurHash.
struct UploadedImage: Sendable {
    let webP: Data
    let size: PixelSize
    let blurHash: String

    /// Formats that an upload may have. SVG and TIFF are left out: their libraries have a large attack surface.
    static let formats: Set<ImageFormat> = [.jpeg, .png, .webp, .avif, .heic]

    static let limits = {
        var limits = ImageLimits()
        limits.maximumBytes = 10 << 20
        limits.maximumPixels = 50_000_000
        limits.maximumWorkingBytes = 256 << 20
        limits.maximumDecodingTime = .seconds(5)
        return limits
    }()

    /// Blocks the calling thread for the time of a decode and an encode.
    init(upload: Data) throws {
        let decoder = ImageDecoder(limits: UploadedImage.limits)
        try decoder.setData(upload, allDataReceived: true)
        guard let format = decoder.format, UploadedImage.formats.contains(format) else {
            throw ImageDecodingError(.unsupported, "images are taken as JPEG, PNG, WebP, AVIF and HEIC")
        }

        // The decoder applies orientation and color profile. It returns at least the size asked for.
        let target = TargetSize(PixelSize(width: 1600, height: 1600))
        var options = DecodingOptions()
        options.targetSize = target
        let frame = try decoder.frame(at: 0, options: options)
        let image = try frame.image().resized(to: target.resolved(for: frame.displaySize))

        size = image.size
        webP = try WebPEncoder(quality: 0.8).encode(image)
        blurHash = BlurHash(image)?.text ?? ""
    }
}
// snippet.end
