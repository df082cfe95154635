/// What an operator configures for IIIF.
package struct IIIFSettings: Equatable, Sendable {
    /// The largest results, and whether regions may be enlarged.
    package var limits = IIIFLimits()
    /// The formats that are written. Level 2 needs JPEG and PNG. Default: these two.
    package var formats: Set<IIIFFormat> = [.jpg, .png]
    /// The side of a tile in `info.json`, in pixels; values below 16 count as 16. Default: 512.
    package var tileSide = 512

    package init() {}
}
