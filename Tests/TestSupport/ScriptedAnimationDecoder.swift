package import FirnImage
package import FirnTesting
package import FoundationEssentials

/// A synthetic animation, which ``ScriptedAnimationDecoder`` decodes.
///
/// Its bytes are lines of text: `firn-animation WIDTHxHEIGHT LOOPS`, then for every frame `frame MILLISECONDS`, or
/// `frame MILLISECONDS damaged`, and `end`. `LOOPS` is a number or `-`. A frame is known once its line has begun and
/// complete with its line's end, so tests can cut it anywhere.
package struct ScriptedAnimation: Hashable, Sendable {
    /// The format that the decoder names; its loop number counts plays in all, 0 forever.
    package static let format = ImageFormat(rawValue: "test-animation")

    /// The size of the canvas.
    package var size: PixelSize
    /// The durations of the frames, in milliseconds.
    package var durations: [Int]
    /// The stored number of plays; `nil` for none.
    package var loopCount: Int?
    /// Frames that cannot be decoded.
    package var damagedFrames: Set<Int>

    /// Creates an animation of `size` pixels.
    package init(size: PixelSize, durations: [Int], loopCount: Int? = 0, damagedFrames: Set<Int> = []) {
        self.size = size
        self.durations = durations
        self.loopCount = loopCount
        self.damagedFrames = damagedFrames
    }

    /// The value of every byte of a frame's pixels, alpha apart: the frame's number plus 1, modulo 256.
    package static func level(of frame: Int) -> UInt8 { UInt8(truncatingIfNeeded: frame &+ 1) }

    /// The bytes of the file.
    package var data: Data { pieces.reduce(into: Data()) { $0.append($1) } }

    /// The file in pieces: the header, each frame, the end.
    package var pieces: [Data] {
        let header = "firn-animation \(size) \(loopCount.map { "\($0)" } ?? "-")\n"
        let frames = durations.enumerated().map { index, duration in
            "frame \(duration)\(damagedFrames.contains(index) ? " damaged" : "")\n"
        }
        return ([header] + frames + ["end\n"]).map { Data($0.utf8) }
    }
}

/// A decoder of ``ScriptedAnimation``s: it records its calls and can be made to wait.
package final class ScriptedAnimationDecoder: ImageDecoding {
    /// The limits of opened sessions.
    package let sessions = Recorder<ImageLimits>()
    /// The numbers of decoded frames.
    package let frames = Recorder<Int>()
    private let onDecode: @Sendable (Int) -> Void

    /// - Parameter onDecode: called with each frame's number while it is decoded, for example to advance a clock.
    ///   Default: nothing.
    package init(onDecode: @escaping @Sendable (Int) -> Void = { _ in }) { self.onDecode = onDecode }

    /// Keeps decodes from ending until ``release()``. A cancelled decode still ends.
    package func hold() { frames.hold(true) }

    /// Lets decodes end.
    package func release() { frames.hold(false) }

    /// Recognizes the bytes of a ``ScriptedAnimation``.
    package func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-animation ".utf8)) ? ScriptedAnimation.format : nil
    }

    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        sessions.add(limits)
        return ScriptedAnimationSession(decoder: self, cancellation: cancellation)
    }

    func image(
        _ frame: Int, _ size: PixelSize, _ options: DecodingOptions, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Bitmap {
        frames.start(frame)
        onDecode(frame)
        let isCancelled = frames.endsCancelled(cancellation)
        defer { frames.end(frame, isCancelled: isCancelled) }
        if isCancelled {
            throw ImageError(.cancelled, at: .decoding, "cancelled", format: ScriptedAnimation.format)
        }
        return try Bitmap.flat(ScriptedAnimation.level(of: frame), size, options, format: ScriptedAnimation.format)
    }
}

/// The decode of one ``ScriptedAnimation``, line by line as its bytes arrive.
private final class ScriptedAnimationSession: ImageDecodingSession {
    private let decoder: ScriptedAnimationDecoder
    private let cancellation: CancellationFlag
    private var text = ""
    private var isFinished = false

    init(decoder: ScriptedAnimationDecoder, cancellation: CancellationFlag) {
        self.decoder = decoder
        self.cancellation = cancellation
    }

    func append(_ data: Data) { text += String(decoding: data, as: UTF8.self) }

    func finish() { isFinished = true }

    func properties() throws(ImageError) -> ImageProperties? {
        if cancellation.isCancelled { throw error(.cancelled, "cancelled") }
        guard let end = text.firstIndex(of: "\n") else {
            if isFinished { throw error(.data, "the header is cut short") }
            return nil
        }
        let words = text[..<end].split(separator: " ")
        let sides = words.count == 3 ? words[1].split(separator: "x").compactMap { Int($0) } : []
        guard sides.count == 2 else { throw error(.data, "a damaged header") }
        var properties = ImageProperties(
            format: ScriptedAnimation.format, size: PixelSize(width: sides[0], height: sides[1]))
        properties.loopCount = Int(words[2])
        let frames = frames(properties.size)
        properties.frameCount = frames.count
        properties.frameDurations = frames.map { $0.duration ?? .zero }
        return properties
    }

    func frames() throws(ImageError) -> [FrameProperties] {
        guard let properties = try properties() else { return [] }
        return frames(properties.size)
    }

    func workingBytes(for options: DecodingOptions) -> Int { 0 }

    func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
        guard let properties = try properties() else { throw error(.incomplete, "the header has not come") }
        let frames = frames(properties.size)
        guard frames.indices.contains(options.frame) else {
            throw error(isFinished ? .request : .incomplete, "there is no frame \(options.frame)")
        }
        guard frames[options.frame].isComplete || options.allowsPartial else {
            throw error(isFinished ? .data : .incomplete, "frame \(options.frame) is cut short")
        }
        if frameLines[options.frame].hasSuffix(" damaged") { throw error(.data, "frame \(options.frame) is damaged") }
        return try decoder.image(options.frame, properties.size, options, cancellation)
    }

    private var frameLines: [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().filter { $0.hasPrefix("frame ") }
    }

    private func frames(_ size: PixelSize) -> [FrameProperties] {
        let lines = frameLines
        let isCut = !text.hasSuffix("\n") && (text.split(separator: "\n").last?.hasPrefix("frame ") ?? false)
        return lines.enumerated().map { index, line in
            let isComplete = !isCut || index < lines.count - 1
            let words = line.split(separator: " ")
            let milliseconds = isComplete && words.count > 1 ? Int(words[1]) : nil
            return FrameProperties(
                size: size, duration: milliseconds.map { .milliseconds($0) }, isComplete: isComplete)
        }
    }

    private func error(_ fault: ImageError.Fault, _ message: String) -> ImageError {
        ImageError(fault, at: .decoding, message, format: ScriptedAnimation.format)
    }
}
