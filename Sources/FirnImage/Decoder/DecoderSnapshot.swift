/// The known state of a file at one moment, which can be read while a decode runs.
struct DecoderSnapshot: Sendable {
    var status = ImageDecoder.Status.unknown
    var error: ImageDecodingError?
    var format: ImageFormat?
    var properties: ImageProperties?
    var frames: [FrameProperties] = []
    var bytesNeeded: Int?

    /// Returns the frame of an index; `nil` if it is unknown.
    func frame(_ index: Int) -> FrameProperties? { frames.indices.contains(index) ? frames[index] : nil }
}
