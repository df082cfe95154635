import FirnImage
import FoundationEssentials

/// The session of a format whose library is not in this build: it throws an error that says so.
final class LeftOutSession: ImageDecodingSession {
    private let error: ImageDecodingError

    init(format: ImageFormat, trait: String) {
        error = ImageDecodingError(
            .unsupported, "left out of this build; enable the package trait \(trait)", format: format)
    }

    func append(_ data: Data) throws(ImageDecodingError) { throw error }

    func finish() {}

    func properties() throws(ImageDecodingError) -> ImageProperties? { throw error }

    func workingBytes(for options: DecodingOptions) -> Int { 0 }

    func decode(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap { throw error }
}
