#if GTK
import CFirnAdwaita
import FirnGTK
import FirnReport
import FirnSync

/// The panel with information about an image.
@MainActor
final class FactsPanel {
    let widget: Widget = gtk_scrolled_window_new()
    private let histogram: FirnPicture
    private let list: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18)
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
        gtk_widget_add_css_class(widget, "background")
        gtk_widget_set_hexpand(widget, 0)
        gtk_widget_set_vexpand(widget, 0)
    }

    /// The shown text.
    var text: String {
        facts.groups.flatMap(\.lines).map { "\($0.name)\n\($0.text)" }.joined(separator: "\n\n")
    }

    func show(_ facts: ImageFacts) {
        self.facts = facts
        while let child = gtk_widget_get_first_child(list) { gtk_box_remove(list.cast(), child) }
        for group in facts.groups where !group.lines.isEmpty {
            let rows: Widget = adw_preferences_group_new()
            adw_preferences_group_set_title(rows.cast(), group.title)
            for line in group.lines { adw_preferences_group_add(rows.cast(), FactsPanel.row(line)) }
            list.append(rows)
        }
        let drawing = facts.histogram?.drawing()
        histogram.widget.isVisible = drawing != nil
        histogram.display(
            drawing.map { DisplayedContent(.image, container: ImageContainer(image: $0), contentMode: .fill) }
                ?? .nothing)
    }

    private static func row(_ line: ImageFacts.Line) -> Widget {
        let row: Widget = adw_action_row_new()
        adw_preferences_row_set_use_markup(row.cast(), 0)
        adw_preferences_row_set_title(row.cast(), line.name)
        adw_action_row_set_subtitle(row.cast(), line.text)
        adw_action_row_set_subtitle_lines(row.cast(), 0)
        gtk_widget_add_css_class(row, "property")
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, "\(line.name): \(line.text)", of: row.opaque)
        let labels = labels(in: row)
        if let name = labels.first, let text = labels.last, name != text {
            firn_gtk_label_by(text, name)
            gtk_label_set_wrap_mode(text.opaque, PANGO_WRAP_WORD_CHAR)
            // The text of a link would consume the click.
            gtk_label_set_selectable(text.opaque, line.link == nil ? 1 : 0)
            // A focused label would select its text and consume keys.
            gtk_widget_set_can_focus(text, 0)
        }
        guard let link = line.link else { return row }
        let icon: Widget = gtk_image_new_from_icon_name(link.icon)
        adw_action_row_add_suffix(row.cast(), icon)
        gtk_list_box_row_set_activatable(row.cast(), 1)
        SignalClosure.connect(row.object, "activated") {
            guard let window = gtk_widget_get_root(row).map({ Widget($0) }) else { return }
            switch link {
            case .file(let path): FileActions.showInFolder(path, window.cast())
            case .address(let address): gtk_show_uri(window.cast(), address, guint(GDK_CURRENT_TIME))
            }
        }
        return row
    }

    /// Returns the labels in a widget, in order.
    private static func labels(in widget: Widget) -> [Widget] {
        if gtk_label_get_type().holds(widget.object) { return [widget] }
        var found: [Widget] = []
        var child = gtk_widget_get_first_child(widget)
        while let inner = child {
            found += labels(in: inner)
            child = gtk_widget_get_next_sibling(inner)
        }
        return found
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
    /// A place that a line leads to.
    enum Link: Sendable {
        /// A file, in the file manager.
        case file(String)
        case address(String)

        var icon: String {
            switch self {
            case .file: "folder-open-symbolic"
            case .address: "adw-external-link-symbolic"
            }
        }
    }

    typealias Line = (name: String, text: String, link: Link?)

    var groups: [(title: String, lines: [Line])] = []
    var histogram: Histogram?

    private mutating func begin(_ title: String) { groups.append((title, [])) }

    /// Adds a line to the last group.
    private mutating func add(_ name: String, _ text: String?, link: Link? = nil) {
        if let text, !text.isEmpty, !groups.isEmpty { groups[groups.count - 1].lines.append((tr(name), text, link)) }
    }

    /// Reads the facts from the bytes of a response. Loads nothing again: if the bytes are not on this machine (a
    /// response that must not be stored), the facts are those of the response.
    @concurrent
    static func of(_ response: ImageResponse, pipeline: ImagePipeline) async -> ImageFacts {
        var facts = ImageFacts()
        facts.histogram = Histogram(response.image)
        let address = response.request.description
        let path = address.hasPrefix("file:") ? FileAddress.path(of: address) : nil
        facts.begin(tr("File"))
        facts.add("Damage", response.container.damage?.description)
        facts.add("Folder", path.map { PathText.parent($0) }, link: path.map { .file($0) })
        let decoder = ImageDecoder(decoders: pipeline.configuration.decoders, limits: pipeline.configuration.limits)
        guard let bytes = bytes(of: response, path, pipeline), (try? decoder.append(contentsOf: bytes)) != nil else {
            facts.begin(tr("Image"))
            facts.add("Size", response.container.originalSize.map(size))
            facts.add("Format", response.container.format?.rawValue.uppercased())
            return facts
        }
        decoder.finish()
        facts.add("File size", LocalNumber.bytes(bytes.count))
        let modified = path.flatMap { try? LocalFileSystem().status($0) }?.modified
        facts.add("Changed", modified.map { MonthText.moment(LocalTime.seconds($0 / 1_000_000_000)) })
        guard let properties = decoder.properties else { return facts }
        let fields = properties.metadata
        facts.addImage(properties, fields, frames: decoder.frameCount)
        facts.addCamera(fields)
        facts.addPlace(fields)
        return facts
    }

    private mutating func addImage(_ properties: ImageProperties, _ fields: ImageMetadata, frames: Int) {
        begin(tr("Image"))
        add("Title", fields.title)
        add("Description", fields.imageDescription)
        add("Keywords", fields.keywords.joined(separator: ", "))
        if let rating = fields.rating, (1...5).contains(rating) {
            add("Rating", String(repeating: "★", count: Int(rating)))
        }
        add("Size", ImageFacts.size(properties.displaySize))
        add("Format", ImageFacts.format(properties))
        add("Colors", ImageFacts.colors(properties))
        if frames > 1 { add("Animation", tr("%1 frame", "%1 frames", count: frames)) }
        if let resolution = properties.resolution {
            add("Resolution", tr("%1 pixels per inch", LocalNumber.text(resolution.horizontal, decimals: 0)))
        }
        add("Artist", fields.creators.joined(separator: ", "))
        add("Copyright", fields.copyright)
        add("Software", fields.software)
    }

    private mutating func addCamera(_ fields: ImageMetadata) {
        begin(tr("Camera"))
        add("Taken", fields.taken.flatMap { MonthText.moment($0) })
        add("Camera", fields.camera)
        add("Lens", fields.lens)
        if let seconds = fields.exposureSeconds, seconds > 1e-7, seconds < 1e6 {
            let isLong = seconds >= 0.4
            let text = LocalNumber.text(isLong ? seconds : 1 / seconds, decimals: isLong ? 1 : 0)
            add("Exposure", isLong ? "\(text) s" : "1/\(text) s")
        }
        add("Aperture", fields.aperture.map { "f/\(LocalNumber.text($0, decimals: 1))" })
        add("Sensitivity", fields.sensitivity.map { "ISO \($0)" })
        add("Focal length", fields.focalLength.map { "\(LocalNumber.text($0, decimals: 0)) mm" })
        add("Flash", fields.flashFired.map { $0 ? tr("fired") : tr("did not fire") })
    }

    private mutating func addPlace(_ fields: ImageMetadata) {
        begin(tr("Place"))
        let names = ["Location", "City", "State", "Country"].compactMap { fields[$0] }
        add("Name", names.joined(separator: ", "))
        if let latitude = fields.latitude, let longitude = fields.longitude {
            func degrees(_ value: Double) -> String { LocalNumber.text(abs(value), decimals: 4) }
            let north = tr(latitude < 0 ? "%1° S" : "%1° N", degrees(latitude))
            let east = tr(longitude < 0 ? "%1° W" : "%1° E", degrees(longitude))
            add("Coordinates", "\(north), \(east)", link: .address(ImageFacts.map(latitude, longitude)))
        }
        add("Altitude", fields.altitude.map { "\(LocalNumber.text($0, decimals: 0)) m" })
    }

    /// Returns the address of a place for the program for maps, or of OpenStreetMap if there is none.
    static func map(_ latitude: Double, _ longitude: Double) -> String {
        let (y, x) = (FixedText.text(latitude, decimals: 6), FixedText.text(longitude, decimals: 6))
        if let program = g_app_info_get_default_for_uri_scheme("geo") {
            g_object_unref(UnsafeMutableRawPointer(program))
            return "geo:\(y),\(x)"
        }
        return "https://www.openstreetmap.org/?mlat=\(y)&mlon=\(x)#map=15/\(y)/\(x)"
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
        let sides = "\(size.width) × \(size.height)"
        return pixels < 0.05 ? sides : "\(sides), \(tr("%1 megapixels", LocalNumber.text(pixels, decimals: 1)))"
    }

    private static func format(_ properties: ImageProperties) -> String {
        var words = [properties.format.rawValue.uppercased(), tr("%1 bits", String(properties.bitDepth))]
        if properties.isProgressive { words.append(tr("progressive")) }
        if properties.hasAlpha { words.append(tr("transparent")) }
        return words.joined(separator: ", ")
    }

    private static func colors(_ properties: ImageProperties) -> String {
        let profile = properties.colorProfile.map { tr("profile of %1", LocalNumber.bytes($0.icc.count)) }
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
