import FirnImage

/// The largest results that a server makes, as `info.json` declares them. Values below 1 count as 1.
///
/// Source: IIIF Image API 3.0, section 5.3 (`maxWidth`, `maxHeight`, `maxArea`).
package struct IIIFLimits: Equatable, Sendable {
    /// The largest width of a scaled region, in pixels; `nil` (the default) for no limit.
    package var maxWidth: Int?
    /// The largest height, in pixels. If one of `maxWidth` and `maxHeight` is `nil` (the default), the other one limits
    /// both sides.
    package var maxHeight: Int?
    /// The largest product of width and height, in pixels; `nil` (the default) for no limit.
    package var maxArea: Int?
    /// True if `^` may enlarge a region. Has no effect without a limit. Default: false.
    package var allowsUpscaling = false
    /// True if `^max` enlarges a region up to the limits, as the specification says. If false, `^max` equals `max`, as
    /// the test `size_up` of iiif-validator 1.0.5 expects. Default: true.
    package var enlargesMaximum = true

    package init() {}

    /// True if `^` is offered. A server that enlarges must declare a limit.
    package var supportsUpscaling: Bool { allowsUpscaling && (limitsSides || maxArea != nil) }

    /// True if `info.json` declares `maxWidth`.
    var limitsSides: Bool { maxWidth != nil || maxHeight != nil }

    /// The largest width that is ever made, in pixels.
    var width: Int { Self.side(maxWidth ?? maxHeight) }

    /// The largest height that is ever made, in pixels.
    var height: Int { Self.side(maxHeight ?? maxWidth) }

    /// The largest area that is ever made, in pixels.
    var area: Int { max(1, maxArea ?? Int.max) }

    /// Returns whether a result of this size is within all limits.
    func allow(_ size: PixelSize) -> Bool { size.width <= width && size.height <= height && size.area <= area }

    /// Sides above 2^31-1 are never made, so that products of two sides fit 64 bits.
    private static func side(_ limit: Int?) -> Int { min(max(1, limit ?? IIIFNumber.maximum), IIIFNumber.maximum) }
}
