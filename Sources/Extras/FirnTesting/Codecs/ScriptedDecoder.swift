import FirnSystem

/// A decoder of synthetic images: it records its calls and can be made to wait or to fail.
///
/// Its images are the bytes of ``image(_:)``: a size and nothing else; every pixel is opaque gray.
public final class ScriptedDecoder: ImageDecoding {
    /// The options of decodes.
    public let decodes = Recorder<DecodingOptions>()
    /// The limits of opened sessions.
    public let sessions = Recorder<ImageLimits>()
    private let error: ImageError?
    private let bytesPerDecode: Int?

    /// - Parameters:
    ///   - error: the error of every decode. Default: no decode fails.
    ///   - bytesPerDecode: the estimate for every decode. Default: the bytes of the result.
    public init(failingWith error: ImageError? = nil, bytesPerDecode: Int? = nil) {
        self.error = error
        self.bytesPerDecode = bytesPerDecode
    }

    /// Bytes that this decoder takes for an image of `size` pixels.
    public static func image(_ size: PixelSize) -> Data { Data("firn-test \(size)\n".utf8) }

    /// Keeps decodes from ending until ``release()``. A cancelled decode still ends.
    public func hold() { decodes.hold(true) }

    /// Lets decodes end.
    public func release() { decodes.hold(false) }

    /// Recognizes the bytes of `image(_:)`.
    public func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-test ".utf8)) ? ImageFormat(rawValue: "test") : nil
    }

    /// Opens a session and records it.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        sessions.add(limits)
        return Session(decoder: self, cancellation: cancellation)
    }

    private final class Session: ImageDecodingSession {
        let decoder: ScriptedDecoder
        let cancellation: CancellationFlag
        var text = ""

        init(decoder: ScriptedDecoder, cancellation: CancellationFlag) {
            self.decoder = decoder
            self.cancellation = cancellation
        }

        func append(_ data: Data) { text += String(decoding: data, as: UTF8.self) }
        func finish() {}

        func properties() throws(ImageError) -> ImageProperties? {
            let sides = text.dropFirst("firn-test ".count).dropLast().split(separator: "x").compactMap { Int($0) }
            guard sides.count == 2, text.hasSuffix("\n") else {
                throw ImageError(.data, at: .decoding, "a damaged test image")
            }
            return ImageProperties(
                format: ImageFormat(rawValue: "test"), size: PixelSize(width: sides[0], height: sides[1]))
        }

        func workingBytes(for options: DecodingOptions) -> Int {
            if let bytes = decoder.bytesPerDecode { return bytes }
            return (try? properties())?.map { $0.size.area * 4 } ?? 0
        }

        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            let size = try properties()?.size ?? PixelSize(1)
            decoder.decodes.start(options)
            let isCancelled = decoder.decodes.endsCancelled(cancellation)
            defer { decoder.decodes.end(options, isCancelled: isCancelled) }
            if isCancelled { throw ImageError(.cancelled, at: .decoding, "cancelled") }
            if let error = decoder.error { throw error }
            return try Bitmap.flat(0x80, size, options)
        }
    }
}

extension Bitmap {
    /// Returns the result of a decode of a test image: opaque, with the same value in every byte.
    ///
    /// - Parameters:
    ///   - size: the stored size. The result has the target size of the options, if they have one.
    ///   - format: the format that an error names.
    package static func flat(
        _ value: UInt8, _ size: PixelSize, _ options: DecodingOptions, format: ImageFormat? = nil
    ) throws(ImageError) -> Bitmap {
        let size = options.targetSize?.resolved(for: size) ?? size
        do {
            return try Bitmap(size: size, format: options.pixelFormat, isOpaque: true) { pixels in
                for y in 0..<size.height {
                    memset(pixels.row(y), Int32(value), size.width * options.pixelFormat.bytesPerPixel)
                }
            }
        } catch {
            throw ImageError(.limit, at: .decoding, "\(error)", format: format)
        }
    }
}

/// An encoder for tests: it writes files for ``ScriptedDecoder``, records its calls, and can fail.
///
/// A file holds the size of the image and nothing else; see ``ScriptedDecoder/image(_:)``.
public final class ScriptedEncoder: ImageEncoding {
    /// The sizes of the images to encode.
    public let sizes = Recorder<PixelSize>()
    /// The format that the encoder claims to write.
    public let format: ImageFormat
    private let error: ImageError?

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - format: the format that it claims to write. Default: `test`, the format of ``ScriptedDecoder``.
    ///   - error: the error of every call. Default: no call fails.
    public init(format: ImageFormat = ImageFormat(rawValue: "test"), failingWith error: ImageError? = nil) {
        self.format = format
        self.error = error
    }

    /// Writes the size of `image`.
    ///
    /// - Throws: the error that the encoder was created with; ``/FirnImage/ImageError/Fault/cancelled`` if
    ///   `cancellation` is set.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        sizes.add(image.size)
        if cancellation.isCancelled { throw .init(CancellationError(), at: .encoding, format: format) }
        if let error { throw error }
        return ScriptedDecoder.image(image.size)
    }
}

/// A processor for tests: it records its calls and can change the image, wait, or fail.
///
/// Copies share the recorder. Two processors with the same identifier are one processor to a pipeline, which then runs
/// only one of them; give each its own identifier.
public struct ScriptedProcessor: ImageProcessing {
    /// The sizes of the images to process.
    public let sizes = Recorder<PixelSize>()
    /// Names the processor.
    public let identifier: String
    private let change: @Sendable (ImageContainer) throws -> ImageContainer

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: names the processor, in cache keys too. Default: `scripted`.
    ///   - change: returns the changed image, or throws to fail. Default: returns the image as it is.
    public init(
        identifier: String = "scripted",
        _ change: @escaping @Sendable (ImageContainer) throws -> ImageContainer = { $0 }
    ) {
        self.identifier = identifier
        self.change = change
    }

    /// Keeps calls from returning until ``release()``. A cancelled call returns anyway.
    public func hold() { sizes.hold(true) }

    /// Lets calls return.
    public func release() { sizes.hold(false) }

    /// Records the call and applies the change.
    ///
    /// - Throws: what the change throws; `CancellationError` if the call is cancelled.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        let size = container.image.size
        sizes.start(size)
        let isCancelled = sizes.endsCancelled(context.cancellation)
        defer { sizes.end(size, isCancelled: isCancelled) }
        if isCancelled { throw CancellationError() }
        return try change(container)
    }
}
