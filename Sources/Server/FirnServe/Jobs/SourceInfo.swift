import FirnReport

/// The properties of a source that a plan needs.
struct SourceInfo: Sendable, Equatable {
    let format: ImageFormat
    /// The size of the upright image, or of the page that is decoded.
    let size: PixelSize
    /// The exact size of a drawing, before ``size`` was rounded; `nil` for a bitmap.
    var vectorSize: VectorSize?
    /// The orientation of the stored image.
    var orientation = ImageOrientation.up
    let hasAlpha: Bool
    var bitDepth = 8
    /// The frames of an animation; 1 for stills, also for those with several pages.
    let frameCount: Int
    /// The author and the rights holder; `nil` if the source does not state them.
    var copyright: CopyrightNotice?
    var isVector: Bool { vectorSize != nil }
    /// The size from which the sizes of results are computed.
    var extent: ImageExtent { ImageExtent(size, vector: vectorSize) }
}

extension SourceInfo {
    /// - Throws: status 422 for more pixels than the limits allow.
    init(_ source: RenderingSource, _ limits: ImageLimits) throws(ServeError) {
        let properties = source.properties
        let vectorSize = properties.extent.vector
        // The stated size of a drawing allocates no pixels yet.
        guard vectorSize != nil || properties.size.area <= limits.maximumPixels else {
            throw ServeError(
                422,
                "declares \(properties.size.width)x\(properties.size.height) pixels; the limit is "
                    + "\(limits.maximumPixels)")
        }
        let frame = source.frames.indices.contains(source.frame) ? source.frames[source.frame] : nil
        self.init(
            format: properties.format, size: properties.displaySize, vectorSize: vectorSize,
            orientation: properties.orientation, hasAlpha: frame?.hasAlpha ?? properties.hasAlpha,
            bitDepth: properties.bitDepth,
            frameCount: properties.frameDurations == nil ? 1 : max(1, source.frames.count),
            copyright: CopyrightNotice(properties))
    }

    /// The body of `/info/…`.
    var json: Data {
        let information: JSONValue = [
            "format": format.rawValue, "mediaType": JSONValue(format.mediaType), "width": size.width,
            "height": size.height, "hasAlpha": hasAlpha, "frameCount": frameCount, "isAnimated": frameCount > 1,
            "isVector": isVector,
        ]
        return Data((information.text + "\n").utf8)
    }
}
