package import FoundationEssentials

/// What people want to know of EXIF data: camera, time, exposure, place.
///
/// Reads a TIFF file (EXIF 2.32 §4.5) from anywhere: what does not make sense is left out, never an error.
package struct ExifFields: Equatable, Sendable {
    /// A field in words, in the order in which people read it.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let text: String
    }

    /// What was found.
    package private(set) var fields: [Field] = []

    /// Reads the data that a decoder gives as ``ImageProperties/exif``.
    package init(_ data: Data) {
        guard let tiff = ExifDirectory.Bytes(data), let main = ExifDirectory(tiff, at: tiff.number(at: 4, length: 4))
        else { return }
        let exif = main.number(0x8769).flatMap { ExifDirectory(tiff, at: $0) }
        let place = main.number(0x8825).flatMap { ExifDirectory(tiff, at: $0) }
        add("Camera", ExifFields.camera(main.text(0x010F), main.text(0x0110)))
        add("Lens", exif?.text(0xA434))
        add("Taken", (exif?.text(0x9003) ?? main.text(0x0132)).map(ExifFields.time))
        add("Exposure", exif?.ratio(0x829A).flatMap(ExifFields.exposure))
        add("Aperture", exif?.ratio(0x829D).map { "f/\(FixedText.text($0, decimals: 1))" })
        add("Sensitivity", exif?.number(0x8827).map { "ISO \($0)" })
        add("Focal length", exif?.ratio(0x920A).map { "\(FixedText.text($0, decimals: 0)) mm" })
        add("Flash", exif?.number(0x9209).map { $0 & 1 == 1 ? "fired" : "did not fire" })
        add("Place", place.flatMap(ExifFields.place))
        add("Description", main.text(0x010E))
        add("Artist", main.text(0x013B))
        add("Copyright", main.text(0x8298))
        add("Software", main.text(0x0131))
    }

    private mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { fields.append(Field(name: name, text: text)) }
    }

    /// Most makers put their name before the model's, some do not.
    private static func camera(_ make: String?, _ model: String?) -> String? {
        guard let make, let model else { return model ?? make }
        let isSaid = model.lowercased().hasPrefix(make.split(separator: " ").first?.lowercased() ?? "")
        return isSaid ? model : "\(make) \(model)"
    }

    /// `2026:11:21 19:30:00` with the date as people write it.
    private static func time(_ text: String) -> String {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return text }
        return "\(parts[0].split(separator: ":").joined(separator: "-")) \(parts[1])"
    }

    private static func exposure(_ seconds: Double) -> String? {
        guard seconds > 0, seconds < 1e6 else { return nil }
        if seconds >= 0.4 { return "\(FixedText.text(seconds, decimals: 1)) s" }
        let part = 1 / seconds
        return part < 1e7 ? "1/\(FixedText.text(part, decimals: 0)) s" : nil
    }

    private static func place(_ directory: ExifDirectory) -> String? {
        func degrees(_ tag: Int, most: Double) -> Double? {
            let parts = directory.ratios(tag)
            guard parts.count == 3 else { return nil }
            let value = parts[0] + parts[1] / 60 + parts[2] / 3_600
            return value <= most ? value : nil
        }
        guard let latitude = degrees(2, most: 90), let longitude = degrees(4, most: 180) else { return nil }
        return "\(FixedText.text(latitude, decimals: 4))° \(directory.text(1) ?? "N"), "
            + "\(FixedText.text(longitude, decimals: 4))° \(directory.text(3) ?? "E")"
    }
}
