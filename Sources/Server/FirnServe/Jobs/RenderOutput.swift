import FirnImage
import FirnProcessing
import FirnReport
import FoundationEssentials

enum RenderOutput: Sendable {
    case image
    /// A JSON object about the source, which is not decoded.
    case information
    case blurHash
    /// The ThumbHash of the result, in base64.
    case thumbHash

    /// The media type of what is no image; `nil` for images.
    var mediaType: String? {
        switch self {
        case .image: nil
        case .information: "application/json"
        case .blurHash, .thumbHash: "text/plain; charset=utf-8"
        }
    }

    /// Returns the text of a placeholder.
    ///
    /// - Throws: status 422 if there is no memory to convert the image.
    func placeholder(of image: Bitmap) throws(ServeError) -> Data {
        let text = self == .blurHash ? BlurHash(image)?.text : ThumbHash(image)?.data.base64EncodedString()
        guard let text else { throw ServeError(422, "the placeholder cannot be computed") }
        return Data(text.utf8)
    }
}
