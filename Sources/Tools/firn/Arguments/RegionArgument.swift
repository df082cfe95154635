public import ArgumentParser
public import Firn

extension ImageRegion: ExpressibleByArgument {
    /// Reads a region of an image: `100,200,640x480`, or in percent `25%,0%,50%x100%`.
    public init?(argument: String) {
        let fields = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 3 else { return nil }
        let sides = fields[2].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let texts = [fields[0], fields[1], sides[0], sides[1]]
        if texts.allSatisfy({ $0.hasSuffix("%") }) {
            let parts = texts.compactMap { Double($0.dropLast()) }.filter { (0...100).contains($0) }
            guard parts.count == 4, parts[2] > 0, parts[3] > 0 else { return nil }
            self = .fractions(x: parts[0] / 100, y: parts[1] / 100, width: parts[2] / 100, height: parts[3] / 100)
            return
        }
        let numbers = texts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        self = .pixels(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    static func help(_ part: String) -> ArgumentHelp {
        ArgumentHelp("\(part), as shown: 100,200,640x480 (pixels) or 25%,0%,50%x100%.", valueName: "x,y,wxh")
    }
}
