import Firn
import FirnReport

/// What `firn load` does with every picture.
struct LoadPlan: Sendable {
    /// The size wanted; `nil` for every pixel.
    var target: TargetSize?
    /// What is done to every picture.
    var processors: [any ImageProcessing] = []
    /// The format written; `nil` for that of the source where it can be written.
    var format: OutputFormat?
    /// Quality of lossy formats, from 0 to 1; `nil` for the encoder's own.
    var quality: Double?
    /// The folder written to; `nil` for none.
    var folder: String?
    /// The size of a sheet's cell; `nil` for no sheet.
    var sheetSize: PixelSize?
    /// Pictures asked for at once.
    var jobs: Int

    /// The size asked of the pipeline. A sheet alone needs no more pixels than its cells have.
    var requested: TargetSize? {
        if let target { return target }
        // Processors may count pixels of the whole picture.
        return folder == nil && processors.isEmpty ? sheetSize.map { TargetSize($0) } : nil
    }
}
