import ArgumentParser
import Firn

/// How a size is read.
enum ModeArgument: String, ExpressibleByArgument, CaseIterable {
    case fit
    case fill

    var contentMode: ContentMode {
        switch self {
        case .fit: .fit
        case .fill: .fill
        }
    }
}
