import ArgumentParser
import Firn

/// The resolution at which color is stored.
enum ChromaArgument: String, ExpressibleByArgument, CaseIterable {
    case full
    case quarter
    case automatic

    /// `444` and `420` are the names of other tools.
    init?(argument: String) {
        switch argument.lowercased() {
        case "444", "4:4:4": self = .full
        case "420", "4:2:0": self = .quarter
        case let word: self.init(rawValue: word)
        }
    }

    var chroma: ChromaSubsampling {
        switch self {
        case .full: .full
        case .quarter: .quarter
        case .automatic: .automatic
        }
    }
}
