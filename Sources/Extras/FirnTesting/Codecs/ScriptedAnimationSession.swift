import FirnImage
import FoundationEssentials

/// The decode of one ``ScriptedAnimation``, line by line as its bytes arrive.
final class ScriptedAnimationSession: ImageDecodingSession {
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

    func properties() throws(ImageDecodingError) -> ImageProperties? {
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

    func frames() throws(ImageDecodingError) -> [FrameProperties] {
        guard let properties = try properties() else { return [] }
        return frames(properties.size)
    }

    func workingBytes(for options: DecodingOptions) -> Int { 0 }

    func decode(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap {
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

    private func error(_ fault: ImageDecodingError.Fault, _ message: String) -> ImageDecodingError {
        ImageDecodingError(fault, message, format: ScriptedAnimation.format)
    }
}
