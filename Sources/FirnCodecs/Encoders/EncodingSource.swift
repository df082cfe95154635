internal import CFirnCodecs
internal import FirnImage
internal import FoundationEssentials

/// Hands a picture to a C encoder and its bytes back.
enum EncodingSource {
    /// Encodes `image` with `body`, which calls one C function.
    ///
    /// - Parameter keepsWords: whether the format holds 16 bits a component; pictures of more than 8 are rounded to 8
    ///   otherwise.
    /// - Throws: ``EncodingError`` if a side is longer than `maximumSide`, or with the message of C.
    static func encode(
        _ image: Bitmap, as format: ImageFormat, maximumSide: Int, keepsWords: Bool = false,
        _ body: (inout firn_picture, inout firn_encoded) -> Bool
    ) throws(EncodingError) -> Data {
        guard image.size.width <= maximumSide, image.size.height <= maximumSide else {
            throw EncodingError(
                format: format, message: "\(image.size) pixels are too many; no side may be longer than \(maximumSide)")
        }
        let source = try storable(image, as: format, keepsWords: keepsWords)
        var encoded = firn_encoded()
        let done = withPicture(source) { picture in body(&picture, &encoded) }
        guard done, let bytes = encoded.bytes else {
            let message = withUnsafeBytes(of: encoded.message) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw EncodingError(format: format, message: message)
        }
        return Data(bytesNoCopy: bytes, count: encoded.length, deallocator: .free)
    }

    /// The picture in a layout that the C encoder takes.
    private static func storable(
        _ image: Bitmap, as format: ImageFormat, keepsWords: Bool
    ) throws(EncodingError) -> Bitmap {
        guard image.format.isWide else { return image }
        do {
            return try image.converted(to: keepsWords ? .rgba16Straight : .rgba8Straight)
        } catch {
            throw EncodingError(format: format, message: "\(error)")
        }
    }

    /// 0 to 100 for 0 to 1; what is no number counts as 0.
    static func percentage(_ quality: Double) -> Int {
        quality > 0 ? Int((min(quality, 1) * 100).rounded()) : 0
    }

    /// The picture as C sees it, valid during the call. Sides must fit into 32 bits.
    private static func withPicture<Result>(_ image: Bitmap, _ body: (inout firn_picture) -> Result) -> Result {
        // A profile of another model than RGB does not describe these pixels.
        let profile = image.colorProfile.flatMap { $0.model == .rgb ? $0.icc : nil } ?? Data()
        return image.withUnsafeBytes { pixels in
            profile.withUnsafeBytes { icc in
                var picture = firn_picture(
                    pixels: pixels.bindMemory(to: UInt8.self).baseAddress, stride: image.bytesPerRow,
                    width: UInt32(clamping: image.size.width), height: UInt32(clamping: image.size.height),
                    layout: layout(image.format), opaque: image.isOpaque,
                    icc: icc.bindMemory(to: UInt8.self).baseAddress, icc_length: icc.count)
                picture.opaque = firn_picture_is_opaque(&picture)
                return body(&picture)
            }
        }
    }

    private static func layout(_ format: PixelFormat) -> firn_source_layout {
        switch format {
        case .bgra8Premultiplied: FIRN_SOURCE_BGRA_PREMULTIPLIED
        case .rgba8Straight: FIRN_SOURCE_RGBA_STRAIGHT
        case .rgb8: FIRN_SOURCE_RGB
        // Half floats were brought to words before.
        case .rgba16Straight, .rgbaHalfPremultiplied: FIRN_SOURCE_RGBA16_STRAIGHT
        }
    }
}
