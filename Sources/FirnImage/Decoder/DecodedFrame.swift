/// A frame of a file: its pixels and properties. Copies share the pixels.
public struct DecodedFrame: Sendable {
    /// Number of the frame, counted from 0.
    public let index: Int
    /// The properties of the frame when it was decoded; the duration is as stored.
    public let properties: FrameProperties
    /// Size of the whole frame as these pixels show it, were every stored pixel there: turned, if they are.
    public let displaySize: PixelSize

    private let pixels: FramePixels

    init(index: Int, properties: FrameProperties, displaySize: PixelSize, pixels: FramePixels) {
        self.index = index
        self.properties = properties
        self.displaySize = displaySize
        self.pixels = pixels
    }

    /// How long the frame is shown by browsers; `nil` where the file states no duration.
    public var duration: Duration? { properties.displayDuration }

    /// Whether some of the frame's bytes were missing when it was asked for, so that its pixels may end early.
    public var isPartial: Bool { !properties.isComplete }

    /// Whether the pixels are there, so that ``image()`` does not compute.
    public var isDecoded: Bool { pixels.ready != nil }

    /// Returns the pixels.
    ///
    /// - Throws: why the frame cannot be decoded. After ``ImageDecodingError/Fault/cancelled`` and
    ///   ``ImageDecodingError/Fault/incomplete`` it may be asked for again.
    public func image() throws(ImageDecodingError) -> Bitmap { try pixels.image() }

    /// Every how many stored pixels the image has one, in each direction: the largest of 1, 2, 4 and 8 that does not
    /// claim fewer pixels than there are. `nil` until the pixels are there.
    public var subsamplingLevel: Int? {
        guard let image = pixels.ready else { return nil }
        return [8, 4, 2].first { displaySize.divided(by: $0).covers(image.size) } ?? 1
    }
}

extension PixelSize {
    /// Each side divided by a positive number, rounded up.
    func divided(by divisor: Int) -> PixelSize {
        // Written so that no side can overflow.
        func side(_ length: Int) -> Int { length <= 0 ? length : (length - 1) / divisor + 1 }
        return PixelSize(width: side(width), height: side(height))
    }
}

extension DecoderSnapshot {
    /// The size of a frame as pixels decoded with `options` show it, before it is reduced.
    func displaySize(of frame: FrameProperties, for options: DecodingOptions) -> PixelSize {
        guard options.appliesOrientation, let orientation = properties?.orientation else { return frame.size }
        return orientation.displaySize(of: frame.size)
    }
}
