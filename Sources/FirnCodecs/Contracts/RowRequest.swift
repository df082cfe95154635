import FirnImage

/// What rows are wanted of a frame.
struct RowRequest: Hashable {
    /// Samples wanted.
    var layout: SampleLayout
    /// Least size wanted, in stored orientation; `nil` for all stored pixels. A source may give more, never less.
    var least: PixelSize?
    /// Whether an image that is cut short or damaged is given as far as it goes.
    var allowsPartial = false
    /// Whether a preview embedded in the metadata may stand for the image.
    var allowsEmbeddedPreview = false
}
