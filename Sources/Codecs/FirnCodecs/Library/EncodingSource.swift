internal import CFirnCodecs
internal import FirnSync
internal import FoundationEssentials

/// Passes an image to a C encoder and returns the encoded bytes.
struct EncodingSource {
    let format: ImageFormat
    /// The longest side that the format supports, in pixels.
    var maximumSide = Int(Int32.max)
    /// The layouts of more than 8 bits that the format supports. Other wide layouts are converted to the first of them,
    /// or to 8 bits if there is none.
    var wideFormats: [PixelFormat] = []
    var cancellation = CancellationFlag()
    /// The metadata to write beside the pixels.
    var metadata = EncodingMetadata()

    /// Encodes `image` with `body`, which calls one C function.
    ///
    /// - Throws: ``ImageError`` if the format does not support the size, or with the message of the C function.
    func encode(
        _ image: Bitmap, _ body: (inout firn_image, inout firn_encoded) -> Bool
    ) throws(ImageError) -> Data {
        try check(image.size)
        return try bytes(of: add(image, body))
    }

    /// Passes an image, such as a frame of an animation, to `body`.
    @discardableResult
    func add(_ image: Bitmap, _ body: (inout firn_image, inout firn_encoded) -> Bool) throws(ImageError)
        -> firn_encoded
    {
        let source = try storable(image)
        var encoded = firn_encoded()
        guard withImage(source, { image in body(&image, &encoded) }) else { throw error(of: encoded) }
        return encoded
    }

    /// Throws if the format does not support the size.
    func check(_ size: PixelSize) throws(ImageError) {
        guard size.width > 0, size.height > 0 else {
            throw ImageError(.image, at: .encoding, "an image of \(size) pixels has no area", format: format)
        }
        guard size.width <= maximumSide, size.height <= maximumSide else {
            throw ImageError(
                .limit, at: .encoding,
                "\(size) pixels are too many; no side may be longer than \(maximumSide)", format: format)
        }
    }

    /// Returns the file that C has written; takes ownership of its memory.
    func bytes(of encoded: firn_encoded) throws(ImageError) -> Data {
        guard let bytes = encoded.bytes else { throw error(of: encoded) }
        return Data(bytesNoCopy: bytes, count: encoded.length, deallocator: .free)
    }

    /// Returns the error that C reported.
    func error(of encoded: firn_encoded) -> ImageError {
        let message = Swift.withUnsafeBytes(of: encoded.message) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let fault: ImageError.Fault =
            switch encoded.fault {
            case FIRN_ENCODE_LIMIT: .limit
            case FIRN_ENCODE_CANCELLED: .cancelled
            case FIRN_ENCODE_LIBRARY: .library
            case FIRN_ENCODE_UNSUPPORTED: .unsupported
            default: .image
            }
        return ImageError(fault, at: .encoding, message, format: format)
    }

    /// Returns the image in a layout that the C encoder accepts.
    ///
    /// PQ and HLG values are tone-mapped if the file will not state them.
    private func storable(_ image: Bitmap) throws(ImageError) -> Bitmap {
        let storesHDR = metadata.keepsColorProfile && format.storesHDR(image.light)
        let image = storesHDR ? image : try image.toneMapped()
        guard image.format.isWide, !wideFormats.contains(image.format) else { return image }
        return try image.converted(to: wideFormats.first ?? .rgba8Straight)
    }

    /// Converts 0...1 to 0...100; NaN becomes 0.
    static func percentage(_ quality: Double) -> Int {
        quality > 0 ? Int(saturating: (min(quality, 1) * 100).rounded()) : 0
    }

    /// Returns the bytes of a profile to write. A profile of a model other than RGB does not describe these pixels.
    func icc(_ profile: ColorProfile?) -> Data {
        guard metadata.keepsColorProfile, let profile, profile.model == .rgb else { return Data() }
        return profile.icc
    }

    /// Returns the code points of a color space to write; 0 if it has none, or they are not kept.
    private func codePoints(_ profile: ColorProfile?) -> (primaries: UInt16, transfer: UInt16) {
        guard metadata.keepsColorProfile, let description = profile?.description,
            let transfer = description.transferCode,
            let primaries = description.primariesCode ?? (description.isHighDynamicRange ? 1 : nil),
            (1...255).contains(primaries), (1...255).contains(transfer)
        else { return (0, 0) }
        return (UInt16(clamping: primaries), UInt16(clamping: transfer))
    }

    /// Calls `body` with the C form of the image, valid during the call. Sides must fit into 32 bits.
    private func withImage<Result>(_ image: Bitmap, _ body: (inout firn_image) -> Result) -> Result {
        // Half floats are linear light, whatever the profile says.
        let space = image.format == .rgbaHalfPremultiplied ? nil : image.colorProfile
        let profile = icc(space)
        let points = codePoints(space)
        let resolution = metadata.resolution
        let exif =
            UprightEXIF.data(
                metadata.exif, for: image.size, resolution, addsResolution: [.webp, .avif, .jxl].contains(format))
            ?? Data()
        return withExtendedLifetime(cancellation) {
            image.withUnsafeBytes { pixels in
                profile.withUnsafeBytes { icc in
                    exif.withUnsafeBytes { exif in
                        var source = firn_image(
                            pixels: pixels.bindMemory(to: UInt8.self).baseAddress, stride: image.bytesPerRow,
                            width: UInt32(clamping: image.size.width), height: UInt32(clamping: image.size.height),
                            layout: EncodingSource.layout(image.format), opaque: image.isOpaque,
                            icc: icc.bindMemory(to: UInt8.self).baseAddress, icc_length: icc.count,
                            primaries: points.primaries, transfer: points.transfer,
                            mastering: points.transfer == 0 ? firn_mastering() : firn_mastering(image.light),
                            exif: exif.bindMemory(to: UInt8.self).baseAddress, exif_length: exif.count,
                            resolution_x: resolution?.horizontal ?? 0, resolution_y: resolution?.vertical ?? 0,
                            watch: watch)
                        source.opaque = firn_image_is_opaque(&source)
                        return body(&source)
                    }
                }
            }
        }
    }

    /// Checks the cancellation flag, which the caller keeps alive.
    private var watch: firn_encode_watch {
        firn_encode_watch(
            is_cancelled: { context in
                context.map { Unmanaged<CancellationFlag>.fromOpaque($0).takeUnretainedValue().isCancelled } ?? false
            },
            context: UnsafeRawPointer(Unmanaged.passUnretained(cancellation).toOpaque()))
    }

    static func layout(_ format: PixelFormat) -> firn_source_layout {
        switch format {
        case .bgra8Premultiplied: FIRN_SOURCE_BGRA_PREMULTIPLIED
        case .rgba8Straight: FIRN_SOURCE_RGBA_STRAIGHT
        case .rgb8: FIRN_SOURCE_RGB
        case .rgba16Straight: FIRN_SOURCE_RGBA16_STRAIGHT
        case .rgbaHalfPremultiplied: FIRN_SOURCE_RGBA_HALF
        }
    }
}

extension firn_mastering {
    /// Converts the numbers of an image in high dynamic range; leaves out those that no file can hold.
    init(_ light: ImageLight) {
        self.init()
        guard light.dynamicRange != nil else { return }
        func steps(_ number: Double?) -> UInt32 { UInt32(saturating: ((number ?? 0) * 10_000).rounded()) }
        (peak, black) = (steps(light.masteringPeak), steps(light.masteringBlack))
        (content, average) = (steps(light.maximumContentLight), steps(light.maximumAverageLight))
        guard let points = light.masteringPrimaries else { return }
        func part(_ number: Double) -> UInt16 { UInt16(saturating: (number * 50_000).rounded()) }
        display = (
            part(points.red.x), part(points.red.y), part(points.green.x), part(points.green.y), part(points.blue.x),
            part(points.blue.y), part(points.white.x), part(points.white.y)
        )
    }
}

extension Bitmap {
    /// True if the layout has 8 bits and a pixel is neither opaque nor fully transparent. Examines the pixels unless
    /// `isOpaque` is set.
    package var hasPartialAlpha: Bool {
        guard !isOpaque, format == .bgra8Premultiplied || format == .rgba8Straight else { return false }
        return withUnsafeBytes { bytes in
            (0..<size.height).contains { y in
                // Safety: a row has four bytes for each of its pixels.
                stride(from: y * bytesPerRow + 3, to: y * bytesPerRow + size.width * 4, by: 4).contains {
                    bytes[$0] != 0 && bytes[$0] != 255
                }
            }
        }
    }

    /// True if every pixel is opaque. Examines the pixels unless `isOpaque` is set.
    package var hasOnlyOpaquePixels: Bool {
        if isOpaque { return true }
        return withUnsafeBytes { bytes in
            firn_layout_opaque(
                SampleLayout(of: format).library, bytes.bindMemory(to: UInt8.self).baseAddress, bytesPerRow,
                UInt32(clamping: size.width), UInt32(clamping: size.height))
        }
    }
}

/// The chroma subsampling of a lossy file; luma is stored for each pixel.
package enum ChromaSubsampling: String, Hashable, Sendable {
    /// Stores chroma for each pixel at a quality of 0.9 or more, otherwise for every two by two pixels.
    case automatic
    /// Stores chroma for every two by two pixels (4:2:0).
    case quarter
    /// Stores chroma for each pixel (4:4:4).
    case full

    /// Creates a setting; `nil` for ``automatic``.
    init(isFull: Bool?) { self = isFull.map { $0 ? .full : .quarter } ?? .automatic }

    /// Returns whether chroma is stored for each pixel at a quality.
    func isFull(at quality: Double) -> Bool { self == .full || (self == .automatic && quality >= 0.9) }
}
