import FirnCodecs
package import FoundationEssentials

/// The EXIF fields that `firn info` and the gallery show: camera, time, exposure, place.
///
/// Fields that are damaged are left out.
package struct ExifFields: Sendable {
    /// A field as text and as a value.
    package struct Field: Sendable {
        package let name: String
        package let text: String
        /// The name in JSON.
        package let key: String
        /// The value in JSON: numbers in the unit that the key names.
        package let value: JSONValue
    }

    /// The fields found, in the order in which they are shown.
    package private(set) var fields: [Field] = []

    /// Reads the data that a decoder returns as ``/FirnImage/ImageProperties/exif``.
    package init(_ data: Data) {
        guard let tiff = EXIFDirectories(data) else { return }
        let main = tiff.first
        let exif = tiff.value(0x8769, in: main)
        let place = tiff.value(0x8825, in: main)
        func text(_ tag: Int, _ directory: Int?) -> String? { tiff.text(tag, in: directory) }
        func fraction(_ tag: Int) -> Double? { tiff.fractions(tag, in: exif).first }
        add("Camera", "camera", ExifFields.camera(text(0x010F, main), text(0x0110, main)))
        add("Lens", "lens", text(0xA434, exif))
        if let taken = text(0x9003, exif) ?? text(0x0132, main) {
            let zone = text(0x9003, exif) != nil ? text(0x9011, exif) : text(0x9010, exif)
            add("Taken", "taken", ExifFields.time(taken), .string(ExifFields.timestamp(taken, zone: zone)))
        }
        if let seconds = fraction(0x829A) {
            add("Exposure", "exposureSeconds", ExifFields.exposure(seconds), .double(seconds))
        }
        if let number = fraction(0x829D) {
            add("Aperture", "aperture", "f/\(FixedText.text(number, decimals: 1))", .double(number))
        }
        if let number = tiff.value(0x8827, in: exif) { add("Sensitivity", "iso", "ISO \(number)", .int(number)) }
        if let length = fraction(0x920A) {
            add("Focal length", "focalLengthMm", "\(FixedText.text(length, decimals: 0)) mm", .double(length))
        }
        if let flash = tiff.value(0x9209, in: exif) {
            add("Flash", "flash", flash & 1 == 1 ? "fired" : "did not fire", .bool(flash & 1 == 1))
        }
        if let place = ExifFields.place(tiff, place) {
            add(
                "Place", "place", place.text,
                .object([("latitude", .double(place.latitude)), ("longitude", .double(place.longitude))]))
        }
        add("Description", "description", text(0x010E, main))
        add("Artist", "artist", text(0x013B, main))
        add("Copyright", "copyright", text(0x8298, main))
        add("Software", "software", text(0x0131, main))
    }

    /// The fields as a JSON object.
    package var json: JSONValue { .object(fields.map { ($0.key, $0.value) }) }

    /// - Parameter value: Default: the text.
    private mutating func add(_ name: String, _ key: String, _ text: String?, _ value: JSONValue? = nil) {
        guard let text, !text.isEmpty else { return }
        fields.append(Field(name: name, text: text, key: key, value: value ?? .string(text)))
    }

    /// Returns the model, with the maker before it unless the model begins with the maker's name.
    private static func camera(_ make: String?, _ model: String?) -> String? {
        guard let make, let model else { return model ?? make }
        let isSaid = model.lowercased().hasPrefix(make.split(separator: " ").first?.lowercased() ?? "")
        return isSaid ? model : "\(make) \(model)"
    }

    /// Converts `2026:11:21 19:30:00` to `2026-11-21 19:30:00`.
    private static func time(_ text: String) -> String {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return text }
        return "\(parts[0].split(separator: ":").joined(separator: "-")) \(parts[1])"
    }

    /// Converts `2026:11:21 19:30:00` to `2026-11-21T19:30:00`, with the time zone if it is known.
    private static func timestamp(_ text: String, zone: String?) -> String {
        let isZone = zone.map { $0.utf8.count == 6 && "+-".contains($0.first ?? " ") } ?? false
        return time(text).replacing(" ", with: "T") + (isZone ? zone ?? "" : "")
    }

    private static func exposure(_ seconds: Double) -> String? {
        guard seconds > 0, seconds < 1e6 else { return nil }
        if seconds >= 0.4 { return "\(FixedText.text(seconds, decimals: 1)) s" }
        let part = 1 / seconds
        return part < 1e7 ? "1/\(FixedText.text(part, decimals: 0)) s" : nil
    }

    private static func place(
        _ tiff: EXIFDirectories, _ directory: Int?
    ) -> (text: String, latitude: Double, longitude: Double)? {
        func degrees(_ tag: Int, most: Double) -> Double? {
            let parts = tiff.fractions(tag, in: directory)
            guard parts.count == 3 else { return nil }
            let value = parts[0] + parts[1] / 60 + parts[2] / 3_600
            return value <= most ? value : nil
        }
        guard let latitude = degrees(2, most: 90), let longitude = degrees(4, most: 180) else { return nil }
        let (north, east) = (tiff.text(1, in: directory) ?? "N", tiff.text(3, in: directory) ?? "E")
        let text =
            "\(FixedText.text(latitude, decimals: 4))° \(north), \(FixedText.text(longitude, decimals: 4))° \(east)"
        return (text, north == "S" ? -latitude : latitude, east == "W" ? -longitude : longitude)
    }
}
