import ArgumentParser
import Firn

/// Where images are decoded.
struct IsolationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Decode in confined processes: all formats, complex ones (HEIC, AVIF, JPEG XL, TIFF, SVG), or none. \
            Default: complex, if firn-decoder is installed.
            """,
            valueName: "formats"))
    var isolation: DecoderIsolation?

    /// Makes the choice that of all decoders, before the command runs.
    func validate() throws {
        guard let isolation else { return }
        do throws(ImageDecodingError) {
            try isolation.check()
        } catch {
            throw ValidationError("--isolation: \(error)")
        }
        DecoderIsolation.standard = isolation
    }
}
