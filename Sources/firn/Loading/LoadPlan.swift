import Firn
import FirnReport

/// The work for every image of a batch.
struct LoadPlan: Sendable {
    /// The part of every image; `nil` for all of it.
    var region: ImageRegion?
    /// The target size; `nil` for all pixels.
    var size: SizeArgument?
    /// Times the own size of a drawing; `nil` for 1.
    var drawingFactor: Double?
    /// The meaning of a size with both sides.
    var mode = ImageContentMode.fit
    /// The processors of every image.
    var processors: [any ImageProcessing] = []
    /// The output; `nil` to write no images.
    var output: ImageOutput?
    /// The size of a contact sheet's cell; `nil` for no sheet.
    var sheetSize: PixelSize?
    /// The number of concurrent loads.
    var jobs: Int
    /// The redaction of shown addresses.
    var redaction = AddressRedaction()

    /// Whether an image's bytes are loaded before it is decoded: to write them unchanged, or to read its size. Files
    /// are read twice instead.
    func needsBytes(of source: LoadSource) -> Bool {
        source.path == nil && (output?.copiesOriginals == true || needsImageSize)
    }

    /// Whether the target size depends on the image's own size.
    var needsImageSize: Bool { size?.needsImageSize == true || drawingFactor != nil }

    /// Returns the target size for the pipeline. A contact sheet alone needs only the pixels of its cells.
    ///
    /// - Parameter own: the image's own size, if it is known.
    func requested(_ own: ImageExtent?) -> TargetSize? {
        if let size { return size.target(for: own, mode: mode) }
        if let target = TargetSize(scaling: own, by: drawingFactor) { return target }
        // Processors may depend on all pixels of the image.
        return output == nil && processors.isEmpty ? sheetSize.map { TargetSize($0) } : nil
    }
}
