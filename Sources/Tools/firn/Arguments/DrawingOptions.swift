import ArgumentParser
import Firn
import FirnSync

/// The scale of drawings that are not fitted into a size.
struct DrawingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Draw vector images at this many times their own size: 2 or 0.5. Other images stay as they are.",
            valueName: "factor"))
    var scale: Double?

    @Option(
        help: ArgumentHelp(
            "Draw vector images at this many pixels to the inch of their own size, which is stated at 96.",
            valueName: "n"))
    var dpi: Double?

    func validate() throws {
        if scale != nil, dpi != nil { throw ValidationError("--scale and --dpi exclude each other.") }
        if let scale, !(scale > 0 && scale <= 1000) {
            throw ValidationError("--scale has to be a number above 0, and at most 1000.")
        }
        if let dpi, !(dpi > 0 && dpi <= 96_000) {
            throw ValidationError("--dpi has to be a number above 0, and at most 96000.")
        }
    }

    /// Times the image's own size; `nil` without an option.
    var factor: Double? { scale ?? dpi.map { $0 / 96 } }

    /// Throws if a size is given, too.
    func check(size: SizeArgument?) throws {
        if factor != nil, size != nil {
            throw ValidationError("--\(scale == nil ? "dpi" : "scale") and --size exclude each other.")
        }
    }
}

extension TargetSize {
    /// Creates the target of a drawing, or of a part of one, at `factor` times its own size; `nil` for an image of
    /// pixels. The longer side is rounded, and the shorter one follows from the ratio.
    init?(scaling extent: ImageExtent?, by factor: Double?) {
        guard let factor, let vector = extent?.vector else { return nil }
        let side = Int(
            saturating: max(1, min(max(vector.width, vector.height) * factor, Double(TargetSize.free)).rounded()))
        self.init(
            vector.width >= vector.height
                ? PixelSize(width: side, height: TargetSize.free) : PixelSize(width: TargetSize.free, height: side))
    }

    /// A side that limits no image.
    private static let free = 1 << 24
}
