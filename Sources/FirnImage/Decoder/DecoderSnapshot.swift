/// What is known of a file at one moment, so that it can be asked for while a decode runs.
struct DecoderSnapshot: Sendable {
    var status = ImageDecoder.Status.unknown
    var error: ImageDecodingError?
    var format: ImageFormat?
    var properties: ImageProperties?
    var frames: [FrameProperties] = []
    var bytesNeeded: Int?

    /// The frame, if there is one of this number.
    func frame(_ index: Int) -> FrameProperties? { frames.indices.contains(index) ? frames[index] : nil }
}
