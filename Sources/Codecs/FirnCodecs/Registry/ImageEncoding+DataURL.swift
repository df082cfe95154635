public import FirnImage
internal import FoundationEssentials

extension ImageEncoding {
    /// Encodes `image` as a `data:` URL, for a page or a JSON response.
    ///
    /// A preview of 16 pixels takes about 200 characters as WebP and 900 as PNG.
    ///
    /// - Throws: ``/FirnImage/ImageEncodingError``.
    /// - Source: RFC 2397.
    public func dataURL(of image: Bitmap) throws(ImageEncodingError) -> String {
        let type = format(for: image).mediaType ?? "application/octet-stream"
        return try "data:\(type);base64,\(encode(image).base64EncodedString())"
    }
}
