#if GTK
import CGTK4
import FirnGTK
import FirnReport
import FirnSync

/// The sidebar with information about an image.
@MainActor
final class FactsPanel {
    let widget: Widget = gtk_scrolled_window_new()
    private let histogram: FirnPicture
    private let list: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
    private var facts = ImageFacts()

    init(context: BindingContext) {
        histogram = FirnPicture(context: context)
        histogram.naturalSize = PixelSize(width: 256, height: 80)
        histogram.cornerRadius = 6
        histogram.alternativeText = tr("Histogram")
        gtk_widget_set_size_request(histogram.widget, -1, 80)
        let box = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 18, [histogram.widget, list])
        box.margin(18)
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget.opaque, box)
        gtk_widget_set_size_request(widget, 300, -1)
        gtk_widget_add_css_class(widget, "background")
        gtk_widget_set_hexpand(widget, 0)
    }

    /// The shown text.
    var text: String { facts.lines.map { "\($0.name)\n\($0.text)" }.joined(separator: "\n\n") }

    func show(_ facts: ImageFacts) {
        self.facts = facts
        while let child = gtk_widget_get_first_child(list) { gtk_box_remove(list.cast(), child) }
        for line in facts.lines { gtk_box_append(list.cast(), FactsPanel.row(line)) }
        let drawing = facts.histogram?.drawing()
        histogram.widget.isVisible = drawing != nil
        histogram.display(
            drawing.map { DisplayedContent(.image, container: ImageContainer(image: $0), contentMode: .fill) }
                ?? .nothing)
    }

    private static func row(_ line: ImageFacts.Line) -> Widget {
        let name = Widget.text(line.name, classes: ["caption", "dim-label"])
        let text: Widget = gtk_label_new(line.text)
        for label in [name, text] { gtk_label_set_xalign(label.opaque, 0) }
        gtk_label_set_wrap(text.opaque, 1)
        gtk_label_set_wrap_mode(text.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(text.opaque, 30)
        gtk_label_set_selectable(text.opaque, 1)
        // A focused label would select its text and consume keys.
        gtk_widget_set_can_focus(text, 0)
        return .box(GTK_ORIENTATION_VERTICAL, spacing: 3, [name, text])
    }
}

/// The number of pixels of each brightness in an image, for red, green and blue.
struct Histogram: Equatable, Sendable {
    static let bins = 64
    private(set) var red = [Int](repeating: 0, count: bins)
    private(set) var green = [Int](repeating: 0, count: bins)
    private(set) var blue = [Int](repeating: 0, count: bins)

    /// Counts the pixels of an 8-bit image; `nil` for other layouts. Skips transparent pixels.
    init?(_ image: Bitmap) {
        let (r, b): (Int, Int)
        switch image.format {
        case .rgb8, .rgba8Straight: (r, b) = (0, 2)
        case .bgra8Premultiplied: (r, b) = (2, 0)
        case .rgba16Straight, .rgbaHalfPremultiplied: return nil
        }
        let length = image.format.bytesPerPixel
        let alpha = length == 4 && !image.isOpaque ? 3 : nil
        // A sample of a quarter of a million pixels is enough.
        let pixels = max(1, image.size.width * image.size.height / 262_144)
        image.withUnsafeBytes { bytes in
            var skipped = 0
            for y in 0..<image.size.height {
                var x = skipped
                while x < image.size.width {
                    let at = y * image.bytesPerRow + x * length
                    x += pixels
                    if let alpha, bytes[at + alpha] == 0 { continue }
                    red[Int(bytes[at + r]) / 4] += 1
                    green[Int(bytes[at + 1]) / 4] += 1
                    blue[Int(bytes[at + b]) / 4] += 1
                }
                skipped = x - image.size.width
            }
        }
    }

    /// Draws the three curves on top of each other, mixed additively.
    func drawing(height: Int = 80) -> Bitmap? {
        // Without the first and last bin, whose peaks in clipped photographs would flatten the rest.
        let inner = [red, green, blue].flatMap { $0.dropFirst().dropLast() }
        guard let most = inner.max(), most > 0 else { return nil }
        let size = PixelSize(width: Histogram.bins * 4, height: height)
        return try? Bitmap(size: size, format: .bgra8Premultiplied) { pixels in
            for y in 0..<height {
                let row = pixels.row(y)
                for x in 0..<size.width {
                    func isBelow(_ counts: [Int]) -> Bool { counts[x / 4] * height >= (height - y) * most }
                    let (r, g, b) = (isBelow(red), isBelow(green), isBelow(blue))
                    let strength: (Bool) -> UInt8 = { $0 ? 200 : 40 }
                    let color: SIMD4<UInt8> =
                        r || g || b ? SIMD4(strength(b), strength(g), strength(r), 230) : SIMD4(0, 0, 0, 0)
                    row.storeBytes(of: color, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
    }
}

/// The information in the panel.
struct ImageFacts: Sendable {
    typealias Line = (name: String, text: String)

    var lines: [Line] = []
    var histogram: Histogram?

    private mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { lines.append((tr(name), text)) }
    }

    /// Reads the facts from the bytes of a response. Loads nothing again: if the bytes are not on this machine (a
    /// response that must not be stored), the facts are those of the response.
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
        for field in properties.metadata.fields { facts.add(field.name, field.text) }
        return facts
    }

    /// Returns the bytes from the container, the local file or the data cache; `nil` if there are none.
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
