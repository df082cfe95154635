import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Returns a session that has received a whole file.
func session(
    _ data: Data, limits: ImageLimits = ImageLimits(), cancellation: CancellationFlag = CancellationFlag()
) throws -> any ImageDecodingSession {
    let session = try openSession(data, limits: limits, cancellation: cancellation)
    try session.append(data)
    session.finish()
    return session
}

/// Returns a session of the decoder that recognizes `data`; it has received no byte yet.
func openSession(
    _ data: Data, limits: ImageLimits = ImageLimits(), cancellation: CancellationFlag = CancellationFlag()
) throws -> any ImageDecodingSession {
    let decoder = try #require(ImageDecoders.standard.first { $0.recognizes(data) != nil })
    return decoder.makeSession(limits: limits, cancellation: cancellation)
}

/// Returns a session that has received a whole file in pieces of `step` bytes, and decoded ahead after each.
func session(_ data: Data, inPiecesOf step: Int) throws -> any ImageDecodingSession {
    let session = try openSession(data)
    for at in stride(from: 0, to: data.count, by: step) {
        try session.append(data[at..<min(at + step, data.count)])
        _ = try session.advance(straight())
    }
    session.finish()
    return session
}

/// Returns options for straight RGBA as stored.
func straight(orientation: Bool = false, profile: Bool = false) -> DecodingOptions {
    var options = DecodingOptions()
    options.pixelFormat = .rgba8Straight
    options.appliesOrientation = orientation
    options.appliesColorProfile = profile
    return options
}

/// Returns the bytes of an image without row padding.
func packed(_ bitmap: Bitmap) -> [UInt8] { bitmap.packedBytes }

/// Returns the error that `body` throws if it is an `ImageError`.
func decodingError(_ body: () throws -> Void) -> ImageError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ImageError
    }
}
