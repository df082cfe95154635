#if GTK
import Firn
import FirnReport
import FirnSync

/// The lines of the panel beside an image.
struct ImageFacts: Sendable {
    typealias Line = (name: String, text: String)

    var lines: [Line] = []
    var histogram: Histogram?

    private mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { lines.append((tr(name), text)) }
    }

    /// Reads the facts from the bytes that a response was decoded from. Nothing is loaded again: without bytes on this
    /// machine (a response that must not be stored), the facts are those of the response.
    @concurrent
    static func of(_ response: ImageResponse, pipeline: ImagePipeline) async -> ImageFacts {
        var facts = ImageFacts()
        facts.histogram = Histogram(response.image)
        let address = response.request.description
        let path = address.hasPrefix("file:") ? FileAddress.path(of: address) : nil
        facts.add("Damage", response.container.damage?.description)
        facts.add("Folder", path.map { PathText.parent($0) })
        let decoder = ImageDecoder(decoders: pipeline.configuration.decoders, limits: pipeline.configuration.limits)
        guard let bytes = bytes(of: response, path, pipeline), (try? decoder.append(contentsOf: bytes)) != nil else {
            facts.add("Size", response.container.originalSize.map(size))
            facts.add("Format", response.container.format?.rawValue.uppercased())
            return facts
        }
        decoder.finish()
        guard let properties = decoder.properties else { return facts }
        facts.add("Size", size(properties.displaySize))
        facts.add("File", ByteText.text(bytes.count))
        facts.add("Format", format(properties))
        facts.add("Colors", colors(properties))
        if decoder.frameCount > 1 { facts.add("Animation", tr("%1 frame", "%1 frames", count: decoder.frameCount)) }
        if properties.orientation != .up { facts.add("Orientation", "\(properties.orientation)") }
        if let resolution = properties.resolution {
            let number = FixedText.text(resolution.horizontal, decimals: 0)
            facts.add("Resolution", tr("%1 pixels per inch", number))
        }
        if let exif = properties.exif {
            for field in ExifFields(exif).fields { facts.add(field.name, field.text) }
        }
        return facts
    }

    /// Returns the bytes that came with the image, of its local file, or in the data cache; nil if there are none.
    private static func bytes(
        of response: ImageResponse, _ path: String?, _ pipeline: ImagePipeline
    ) -> (any ByteSource)? {
        if let data = response.container.data { return MemoryByteSource(data) }
        if let path { return try? LocalFileSystem().open(path) }
        return pipeline.cache.cachedData(for: response.request).map { MemoryByteSource($0.data) }
    }

    private static func size(_ size: PixelSize) -> String {
        let pixels = Double(size.width) * Double(size.height) / 1e6
        return tr(
            "%1 × %2, %3 megapixels", String(size.width), String(size.height), FixedText.text(pixels, decimals: 1))
    }

    private static func format(_ properties: ImageProperties) -> String {
        var words = [properties.format.rawValue.uppercased(), tr("%1 bits", String(properties.bitDepth))]
        if properties.isProgressive { words.append(tr("progressive")) }
        if properties.hasAlpha { words.append(tr("transparent")) }
        return words.joined(separator: ", ")
    }

    private static func colors(_ properties: ImageProperties) -> String {
        let profile = properties.colorProfile.map { tr("profile of %1", ByteText.text($0.icc.count)) }
        let model =
            switch properties.colorSpace {
            case "gray": tr("grayscale")
            case "indexed": tr("palette")
            case "ycbcr": "YCbCr"
            case "lab": "L*a*b*"
            default: properties.colorSpace.uppercased()
            }
        guard let profile else { return properties.colorDescription == nil ? tr("%1, no profile", model) : model }
        return "\(model), \(profile)"
    }
}
#endif
