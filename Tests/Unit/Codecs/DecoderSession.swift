import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// A session that has got a whole file.
func session(
    _ data: Data, limits: ImageLimits = ImageLimits(), cancellation: CancellationFlag = CancellationFlag()
) throws -> any ImageDecodingSession {
    let session = try openSession(data, limits: limits, cancellation: cancellation)
    try session.append(data)
    session.finish()
    return session
}

/// A session of the decoder that recognizes `data`; it has got no byte yet.
func openSession(
    _ data: Data, limits: ImageLimits = ImageLimits(), cancellation: CancellationFlag = CancellationFlag()
) throws -> any ImageDecodingSession {
    let decoder = try #require(ImageDecoders.standard.first { $0.recognizes(data) != nil })
    return decoder.makeSession(limits: limits, cancellation: cancellation)
}

/// Options for straight RGBA as stored.
func straight(orientation: Bool = false, profile: Bool = false) -> DecodingOptions {
    var options = DecodingOptions()
    options.pixelFormat = .rgba8Straight
    options.appliesOrientation = orientation
    options.appliesColorProfile = profile
    return options
}

/// The bytes of an image without what pads its rows.
func packed(_ bitmap: Bitmap) -> [UInt8] {
    let row = bitmap.size.width * bitmap.format.bytesPerPixel
    return bitmap.withUnsafeBytes { bytes in
        (0..<bitmap.size.height).flatMap { Array(bytes[$0 * bitmap.bytesPerRow..<$0 * bitmap.bytesPerRow + row]) }
    }
}

/// The error that `body` throws, if it is one of a decoder.
func decodingError(_ body: () throws -> Void) -> ImageDecodingError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ImageDecodingError
    }
}
