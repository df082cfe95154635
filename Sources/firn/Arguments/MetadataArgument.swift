import ArgumentParser
import Firn

/// The metadata that is copied from a file.
enum MetadataArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case profile
    case exif

    var policy: MetadataPolicy {
        switch self {
        case .none: .nothing
        case .profile: .colorProfile
        case .exif: .colorProfileAndEXIF
        }
    }
}
