import ArgumentParser
import Firn

/// Which part of an image a thumbnail shows.
enum CropArgument: String, ExpressibleByArgument, CaseIterable {
    case center
    case attention

    /// `center` is what vipsthumbnail calls it.
    init?(argument: String) { self.init(rawValue: argument == "center" ? "center" : argument.lowercased()) }

    var anchor: ImageProcessingOptions.Anchor {
        switch self {
        case .center: .center
        case .attention: .attention
        }
    }
}
