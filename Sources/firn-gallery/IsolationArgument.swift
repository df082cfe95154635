import ArgumentParser
import Firn

/// The formats to decode in confined processes, on the command line.
enum IsolationArgument: String, ExpressibleByArgument, CaseIterable {
    case all, complex, none

    /// Makes the choice that of all decoders.
    ///
    /// - Throws: an error if `firn-decoder` is missing.
    func apply() throws {
        let isolation: DecoderIsolation =
            switch self {
            case .all: .all
            case .complex: .complexFormats
            case .none: .none
            }
        try isolation.check()
        DecoderIsolation.standard = isolation
    }
}
