import Firn
import FirnReport

/// What the panel beside an image says of it.
struct ImageFacts: Sendable {
    struct Line: Sendable {
        let name: String
        let text: String
    }

    var lines: [Line] = []

    private mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { lines.append(Line(name: name, text: text)) }
    }

    /// What an image's own bytes say; nothing where they would have to be loaded over the network once more.
    @concurrent
    static func of(_ request: ImageRequest, pipeline: ImagePipeline) async -> ImageFacts {
        var facts = ImageFacts()
        let isAtHand = pipeline.configuration.dataCache != nil || !request.description.hasPrefix("http")
        guard isAtHand, let (data, _) = try? await pipeline.data(for: request) else { return facts }
        let decoder = ImageDecoder(decoders: pipeline.configuration.decoders, limits: pipeline.configuration.limits)
        guard (try? decoder.setData(data, allDataReceived: true)) != nil, let properties = decoder.properties else {
            return facts
        }
        let size = properties.displaySize
        let pixels = Double(size.width) * Double(size.height) / 1e6
        facts.add("Size", "\(size.width) × \(size.height), \(FixedText.text(pixels, decimals: 1)) megapixels")
        facts.add("File", ByteText.text(data.count))
        facts.add("Format", format(properties))
        facts.add("Colors", colors(properties))
        if decoder.frameCount > 1 { facts.add("Animation", "\(decoder.frameCount) frames") }
        if properties.orientation != .up { facts.add("Orientation", "\(properties.orientation)") }
        if let resolution = properties.resolution {
            facts.add("Resolution", "\(FixedText.text(resolution.horizontal, decimals: 0)) pixels per inch")
        }
        if let exif = properties.exif {
            for field in ExifFields(exif).fields { facts.add(field.name, field.text) }
        }
        return facts
    }

    private static func format(_ properties: ImageProperties) -> String {
        var words = [properties.format.rawValue.uppercased(), "\(properties.bitDepth) bits"]
        if properties.isProgressive { words.append("progressive") }
        if properties.hasAlpha { words.append("transparent") }
        return words.joined(separator: ", ")
    }

    private static func colors(_ properties: ImageProperties) -> String {
        let profile = properties.colorProfile.map { "profile of \(ByteText.text($0.icc.count))" }
        return [properties.colorSpace, profile ?? (properties.colorDescription == nil ? "no profile" : "described")]
            .joined(separator: ", ")
    }
}
