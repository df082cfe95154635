import ArgumentParser
import Firn

/// The dithering between the colors of a palette.
enum DitherArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case diffusion
    case pattern

    var dithering: GIFEncoder.Dithering {
        switch self {
        case .none: .none
        case .diffusion: .diffusion
        case .pattern: .pattern
        }
    }
}
