import ArgumentParser
import Firn

/// `WIDTHxHEIGHT`, both positive.
struct PixelSizeArgument: ExpressibleByArgument {
    let size: PixelSize

    init(size: PixelSize) { self.size = size }

    init?(argument: String) {
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            (1...PixelSizeArgument.longest).contains(width), (1...PixelSizeArgument.longest).contains(height)
        else { return nil }
        size = PixelSize(width: width, height: height)
    }

    /// No supported format has a longer side.
    private static let longest = 1 << 24
}

extension PixelSizeArgument: CustomStringConvertible {
    var description: String { "\(size.width)x\(size.height)" }

    static var help: ArgumentHelp { ArgumentHelp("Fit into this many pixels.", valueName: "WxH") }
}
