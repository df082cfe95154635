import ArgumentParser
import Firn

/// The part of an image that a thumbnail shows.
enum CropArgument: String, ExpressibleByArgument, CaseIterable {
    case center
    case attention

    /// `center` is also vipsthumbnail's name.
    init?(argument: String) { self.init(rawValue: argument == "center" ? "center" : argument.lowercased()) }

    var anchor: ImageProcessingOptions.Anchor {
        switch self {
        case .center: .center
        case .attention: .attention
        }
    }
}
