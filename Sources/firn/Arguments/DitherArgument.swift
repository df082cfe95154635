import ArgumentParser
import Firn

/// How the steps between the colors of a palette are hidden.
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
