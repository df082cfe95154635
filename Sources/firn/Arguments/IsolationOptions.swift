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
    var isolation: IsolationArgument?

    /// Makes the choice that of all decoders, before the command runs.
    func validate() throws {
        guard let isolation else { return }
        do throws(ImageDecodingError) {
            try isolation.value.check()
        } catch {
            throw ValidationError("--isolation \(isolation.rawValue): \(error)")
        }
        DecoderIsolation.standard = isolation.value
    }
}

/// The formats to isolate, on the command line.
enum IsolationArgument: String, ExpressibleByArgument, CaseIterable {
    case all, complex, none

    var value: DecoderIsolation {
        switch self {
        case .all: .all
        case .complex: .complexFormats
        case .none: .none
        }
    }
}
