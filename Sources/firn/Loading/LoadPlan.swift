import Firn
import FirnReport

/// What a batch does with every image.
struct LoadPlan: Sendable {
    /// The size wanted; `nil` for every pixel.
    var size: SizeArgument?
    /// How a size with both sides is read.
    var mode = ContentMode.fit
    /// What is done to every image.
    var processors: [any ImageProcessing] = []
    /// How images are written; `nil` if they are not.
    var output: ImageOutput?
    /// The size of a sheet's cell; `nil` for no sheet.
    var sheetSize: PixelSize?
    /// Images asked for at once.
    var jobs: Int
    /// What is left out of addresses before they are shown.
    var redaction = AddressRedaction()

    /// Whether an image's bytes are had before it is decoded: to be written as they are, or to learn its size. Files are read twice
    /// instead.
    func needsBytes(of source: LoadSource) -> Bool {
        source.path == nil && (output?.copiesOriginals == true || size?.needsImageSize == true)
    }

    /// The size asked of the pipeline. A sheet alone needs no more pixels than its cells have.
    ///
    /// - Parameter own: the image's own size, where that is known.
    func requested(_ own: PixelSize?) -> TargetSize? {
        if let size { return size.target(for: own, mode: mode) }
        // Processors may count pixels of the whole image.
        return output == nil && processors.isEmpty ? sheetSize.map { TargetSize($0) } : nil
    }
}
