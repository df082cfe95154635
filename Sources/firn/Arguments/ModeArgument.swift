import ArgumentParser
import Firn

/// The meaning of a size.
enum ModeArgument: String, ExpressibleByArgument, CaseIterable {
    case fit
    case fill

    var contentMode: ImageContentMode {
        switch self {
        case .fit: .fit
        case .fill: .fill
        }
    }
}
