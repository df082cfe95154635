public import FirnAnimation
import FirnCodecs
public import FirnImage
public import FoundationEssentials

// Animations from files and bytes, and their frames without a viewer.

extension AnimatedImage {
    /// Opens the animation in a file, with every format of this build. Reads the file on one of Firn's own threads.
    ///
    ///     let animation = try await AnimatedImage(contentsOf: file)
    ///     for frame in animation.frames { print(frame.duration ?? .zero, try frame.image().size) }
    ///
    /// - Parameters:
    ///   - url: the `file:` URL.
    ///   - targetSize: the size of all frames for viewers. Default: `nil`, all pixels.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    /// - Throws: ``/FirnImage/ImageError`` with the path. Damage after the first bytes is an error of the frames.
    public convenience init(
        contentsOf url: URL, targetSize: TargetSize? = nil, limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        let decoder = try await BlockingCall.run(at: .reading, path: url.path) { _ in
            try ImageDecoder(contentsOf: url, limits: limits)
        }
        self.init(decoder: decoder, targetSize: targetSize)
    }

    /// Opens the animation in the bytes of a file; see ``init(contentsOf:targetSize:limits:)``.
    public convenience init(
        data: Data, targetSize: TargetSize? = nil, limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        let decoder = try await BlockingCall.run(at: .decoding) { _ in try ImageDecoder(data: data, limits: limits) }
        self.init(decoder: decoder, targetSize: targetSize)
    }

    private convenience init(decoder: ImageDecoder, targetSize: TargetSize?) {
        var options = DecodingOptions()
        options.targetSize = targetSize
        self.init(decoder: decoder, options: options)
    }

    /// The frames known so far, in full size. ``/FirnImage/DecodedFrame/image()`` decodes one on the calling thread,
    /// and keeps its pixels as long as the frame exists.
    public var frames: [DecodedFrame] {
        (0..<decoder.frameCount).compactMap { try? decoder.frame(at: $0, isLazy: true) }
    }

    /// The number of frames known so far.
    public var frameCount: Int { decoder.frameCount }

    /// The stored number of repetitions: 0 forever; `nil` if the file states none.
    public var loopCount: Int? { decoder.properties?.loopCount }

    /// The duration of all frames known so far, as browsers show them.
    public var duration: Duration {
        decoder.frames.reduce(.zero) { $0.saturatingAdd($1.displayDuration ?? .zero) }
    }
}
