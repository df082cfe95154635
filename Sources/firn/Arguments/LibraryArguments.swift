public import ArgumentParser
public import Firn

// Types of the library as values of options. Their names are the spellings.
extension DecoderIsolation.Name: ExpressibleByArgument {}
extension GIFEncoder.Dithering: ExpressibleByArgument {}

extension ImageContentMode: ExpressibleByArgument {
    /// The names, for help.
    public static var allValueStrings: [String] { ["fit", "fill"] }
}

extension ChromaSubsampling: ExpressibleByArgument {
    /// Creates the subsampling with this name. `444` and `420` are the names of other tools.
    public init?(argument: String) {
        switch argument.lowercased() {
        case "444", "4:4:4": self = .full
        case "420", "4:2:0": self = .quarter
        case let word: self.init(rawValue: word)
        }
    }

    /// The names, for help.
    public static var allValueStrings: [String] { ["full", "quarter", "automatic"] }
}
