public import FirnImage
public import FoundationEssentials

/// A synthetic animation, which ``ScriptedAnimationDecoder`` decodes.
///
/// Its bytes are lines of text: `firn-animation WIDTHxHEIGHT LOOPS`, then for every frame `frame MILLISECONDS`, or
/// `frame MILLISECONDS damaged`, and `end`. `LOOPS` is a number or `-`. A frame is known once its line has begun and
/// complete with its line's end, so tests can cut it anywhere.
public struct ScriptedAnimation: Hashable, Sendable {
    /// The format that the decoder names; its loop number counts plays in all, 0 forever.
    public static let format = ImageFormat(rawValue: "test-animation")

    /// The size of the canvas.
    public var size: PixelSize
    /// The durations of the frames, in milliseconds.
    public var durations: [Int]
    /// The stored number of plays; `nil` for none.
    public var loopCount: Int?
    /// Frames that cannot be decoded.
    public var damagedFrames: Set<Int>

    /// Creates an animation of `size` pixels.
    public init(size: PixelSize, durations: [Int], loopCount: Int? = 0, damagedFrames: Set<Int> = []) {
        self.size = size
        self.durations = durations
        self.loopCount = loopCount
        self.damagedFrames = damagedFrames
    }

    /// The value of every byte of a frame's pixels, alpha apart: the frame's number plus 1, modulo 256.
    public static func level(of frame: Int) -> UInt8 { UInt8(truncatingIfNeeded: frame &+ 1) }

    /// The bytes of the file.
    public var data: Data { pieces.reduce(into: Data()) { $0.append($1) } }

    /// The file in pieces: the header, each frame, the end.
    public var pieces: [Data] {
        let header = "firn-animation \(size) \(loopCount.map { "\($0)" } ?? "-")\n"
        let frames = durations.enumerated().map { index, duration in
            "frame \(duration)\(damagedFrames.contains(index) ? " damaged" : "")\n"
        }
        return ([header] + frames + ["end\n"]).map { Data($0.utf8) }
    }
}
