import FirnImage
import FoundationEssentials
import Testing

/// A small file that the tests make, and the result that a decoder must have for it.
struct GeneratedImage: Sendable, CustomTestStringConvertible {
    let name: String
    let format: ImageFormat
    let data: Data
    /// The composited frames as straight RGBA, in the stored orientation.
    let frames: [[UInt8]]
    let size: PixelSize
    var durations: [Int]?
    var loopCount: Int?
    var hasAlpha = false
    var orientation = ImageOrientation.up
    /// True if ``frames`` have the colors that the file describes, converted to sRGB.
    var appliesColorProfile = false
    /// The allowed mean difference of the samples; 0 for lossless formats.
    var tolerance = 0.0

    var testDescription: String { name }

    init(_ name: String, _ format: ImageFormat, _ data: Data, _ frames: [[UInt8]], size: PixelSize) {
        self.name = name
        self.format = format
        self.data = data
        self.frames = frames
        self.size = size
    }

    /// Returns a copy with other expectations.
    func expecting(_ change: (inout GeneratedImage) -> Void) -> GeneratedImage {
        var copy = self
        change(&copy)
        return copy
    }
}
