import ArgumentParser
import Firn

/// The metadata that is copied from a file.
enum MetadataArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case profile
    case copyright
    case exif
}
