import FirnImage
import FoundationEssentials
import Testing

/// A small file that the tests make, with what a decoder has to find in it.
struct GeneratedImage: Sendable, CustomTestStringConvertible {
    let name: String
    let format: ImageFormat
    let data: Data
    /// The composited frames, straight RGBA, as stored.
    let frames: [[UInt8]]
    let size: PixelSize
    var durations: [Int]?
    var loopCount: Int?
    var hasAlpha = false
    var orientation = Orientation.up
    /// How far the samples may be off on average; 0 for formats without loss.
    var tolerance = 0.0

    var testDescription: String { name }

    init(_ name: String, _ format: ImageFormat, _ data: Data, _ frames: [[UInt8]], size: PixelSize) {
        self.name = name
        self.format = format
        self.data = data
        self.frames = frames
        self.size = size
    }

    /// The same with other expectations.
    func expecting(_ change: (inout GeneratedImage) -> Void) -> GeneratedImage {
        var copy = self
        change(&copy)
        return copy
    }
}
