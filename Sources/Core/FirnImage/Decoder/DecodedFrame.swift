/// A frame of a file: its pixels and properties. Copies share the pixels.
public struct DecodedFrame: Sendable {
    /// The index of the frame, from 0.
    public let index: Int
    /// The properties of the frame when it was decoded; the duration is as stored.
    public let properties: FrameProperties
    /// The size of the whole frame in the orientation of these pixels, before it is reduced.
    public let displaySize: PixelSize
    /// The part of the frame that the pixels show, in units of ``displaySize``; all of it without a
    /// ``DecodingOptions/region``.
    package let area: PixelArea
    /// The extent to resolve a target size of this frame, or of its region, for.
    package let extent: ImageExtent

    private let pixels: FramePixels

    init(_ frame: FrameProperties, of known: DecoderSnapshot, _ options: DecodingOptions, _ pixels: FramePixels) {
        index = options.frame
        properties = frame
        let whole = known.extent(of: frame, for: options)
        displaySize = whole.pixels
        // An empty region has no image: its decode fails.
        area = options.region.flatMap { $0.resolved(in: whole.pixels) } ?? PixelArea(whole.pixels)
        extent = whole.part(area.size)
        self.pixels = pixels
    }

    /// The part of the frame that the pixels show, in pixels of ``displaySize``.
    public var region: ImageRegion { ImageRegion(area) }

    /// The duration for which browsers show the frame; `nil` if the file states none.
    public var duration: Duration? { properties.displayDuration }

    /// True if bytes of the frame were missing when it was requested, so that its pixels may be incomplete.
    public var isPartial: Bool { !properties.isComplete }

    /// The reason why pixels are missing, as ``DecodingOptions/allowsPartial`` allows; `nil` if the frame is complete
    /// or not decoded yet.
    public var damage: ImageError? { pixels.ready?.damage }

    /// True if the pixels are ready, so that ``image()`` does not decode.
    public var isDecoded: Bool { pixels.ready != nil }

    /// Returns the pixels.
    ///
    /// - Throws: ``ImageError``. After ``ImageError/Fault/cancelled`` or
    ///   ``ImageError/Fault/incomplete``, call it again to retry.
    public func image() throws(ImageError) -> Bitmap { try pixels.image() }

    /// The reduction in each direction: the largest of 1, 2, 4 and 8 that the decoded size allows. `nil` until the
    /// pixels are ready.
    public var subsamplingLevel: Int? {
        guard let image = pixels.ready?.image else { return nil }
        return [8, 4, 2].first { area.size.divided(by: $0).covers(image.size) } ?? 1
    }
}

extension DecoderSnapshot {
    /// Returns the extent of a frame in the orientation of `options`, before it is reduced.
    func extent(of frame: FrameProperties, for options: DecodingOptions) -> ImageExtent {
        guard let properties else { return ImageExtent(frame.size) }
        let orientation = options.appliesOrientation ? frame.orientation ?? properties.orientation : .up
        let size = orientation.displaySize(of: frame.size)
        let whole = properties.extent(of: orientation)
        return size == whole.pixels ? whole : ImageExtent(size)
    }
}
