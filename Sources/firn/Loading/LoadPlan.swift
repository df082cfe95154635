import Firn
import FirnReport

/// The work for every image of a batch.
struct LoadPlan: Sendable {
    /// The part of every image; `nil` for all of it.
    var region: ImageRegion?
    /// The target size; `nil` for all pixels.
    var size: SizeArgument?
    /// The meaning of a size with both sides.
    var mode = ContentMode.fit
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
        source.path == nil && (output?.copiesOriginals == true || size?.needsImageSize == true)
    }

    /// Returns the target size for the pipeline. A contact sheet alone needs only the pixels of its cells.
    ///
    /// - Parameter own: the image's own size, if it is known.
    func requested(_ own: PixelSize?) -> TargetSize? {
        if let size { return size.target(for: own, mode: mode) }
        // Processors may depend on all pixels of the image.
        return output == nil && processors.isEmpty ? sheetSize.map { TargetSize($0) } : nil
    }
}
