import FirnImage

/// The rows requested of a frame.
struct RowRequest: Hashable {
    /// The sample layout requested.
    var layout: SampleLayout
    /// The part of the frame requested, in stored pixels and orientation; `nil` for the whole frame.
    var area: PixelArea?
    /// The least size requested of the part, in stored orientation; `nil` for all stored pixels. A source may return
    /// more, never less.
    var least: PixelSize?
    /// Whether a truncated or damaged image is returned as far as it goes.
    var allowsPartial = false
    /// Whether a preview embedded in the metadata may replace the image.
    var allowsEmbeddedPreview = false
}
