public import Firn
public import Foundation

extension PixelSize {
    /// Whole pixels of a size in pixels, or in points of a screen with a scale; a side that is no positive number is
    /// 0.
    public init(_ size: CGSize, _ unit: ImageProcessingOptions.Unit = .pixels) {
        self.init(
            width: PixelSize.side(Double(size.width), unit), height: PixelSize.side(Double(size.height), unit))
    }

    /// Whole pixels of a length; 0 if it is no positive number, at most `Int32.max`.
    static func side(_ length: Double, _ unit: ImageProcessingOptions.Unit = .pixels) -> Int {
        var pixels = length
        if case .points(let scale) = unit { pixels *= scale }
        return pixels > 0 ? Int(min(pixels.rounded(), Double(Int32.max))) : 0
    }
}

extension CGSize {
    /// Width and height in pixels.
    public init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}
