import ArgumentParser
import Firn

/// What of a file's metadata its copy gets.
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
