import ArgumentParser
import Firn

/// An opaque color, by name or as `#ff8000`.
struct ColorArgument: ExpressibleByArgument, CustomStringConvertible, Sendable {
    let color: SRGBColor
    /// The color as it was written.
    let description: String

    init?(argument: String) {
        guard let color = SRGBColor(name: argument), color.alpha == 255 else { return nil }
        self.color = color
        description = argument
    }

    private init(_ color: SRGBColor, _ description: String) {
        self.color = color
        self.description = description
    }

    /// The usual background of thumbnails.
    static let white = ColorArgument(SRGBColor(red: 255, green: 255, blue: 255), "white")

    static var help: ArgumentHelp {
        ArgumentHelp(
            "The color put below transparent images in formats without transparency (jpeg).", valueName: "color")
    }
}
