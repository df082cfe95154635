/// The resolution of color in a lossy file, relative to that of lightness, which is stored for each pixel.
public enum ChromaSubsampling: String, Hashable, Sendable {
    /// Stores color for each pixel at a quality of 0.9 or more, otherwise for every two by two pixels.
    case automatic
    /// Stores color for every two by two pixels (4:2:0).
    case quarter
    /// Stores color for each pixel (4:4:4).
    case full

    /// Returns whether color is stored for each pixel of a file of that quality.
    func isFull(at quality: Double) -> Bool { self == .full || (self == .automatic && quality >= 0.9) }
}
