import FirnCodecs
package import FoundationEssentials

/// The EXIF fields that `firn info` and the gallery show: camera, time, exposure, place.
///
/// Fields that are damaged are left out.
package struct ExifFields: Equatable, Sendable {
    /// A field as text.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let text: String
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
        add("Camera", ExifFields.camera(text(0x010F, main), text(0x0110, main)))
        add("Lens", text(0xA434, exif))
        add("Taken", (text(0x9003, exif) ?? text(0x0132, main)).map(ExifFields.time))
        add("Exposure", fraction(0x829A).flatMap(ExifFields.exposure))
        add("Aperture", fraction(0x829D).map { "f/\(FixedText.text($0, decimals: 1))" })
        add("Sensitivity", tiff.value(0x8827, in: exif).map { "ISO \($0)" })
        add("Focal length", fraction(0x920A).map { "\(FixedText.text($0, decimals: 0)) mm" })
        add("Flash", tiff.value(0x9209, in: exif).map { $0 & 1 == 1 ? "fired" : "did not fire" })
        add("Place", ExifFields.place(tiff, place))
        add("Description", text(0x010E, main))
        add("Artist", text(0x013B, main))
        add("Copyright", text(0x8298, main))
        add("Software", text(0x0131, main))
    }

    private mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { fields.append(Field(name: name, text: text)) }
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

    private static func exposure(_ seconds: Double) -> String? {
        guard seconds > 0, seconds < 1e6 else { return nil }
        if seconds >= 0.4 { return "\(FixedText.text(seconds, decimals: 1)) s" }
        let part = 1 / seconds
        return part < 1e7 ? "1/\(FixedText.text(part, decimals: 0)) s" : nil
    }

    private static func place(_ tiff: EXIFDirectories, _ directory: Int?) -> String? {
        func degrees(_ tag: Int, most: Double) -> Double? {
            let parts = tiff.fractions(tag, in: directory)
            guard parts.count == 3 else { return nil }
            let value = parts[0] + parts[1] / 60 + parts[2] / 3_600
            return value <= most ? value : nil
        }
        guard let latitude = degrees(2, most: 90), let longitude = degrees(4, most: 180) else { return nil }
        return "\(FixedText.text(latitude, decimals: 4))° \(tiff.text(1, in: directory) ?? "N"), "
            + "\(FixedText.text(longitude, decimals: 4))° \(tiff.text(3, in: directory) ?? "E")"
    }
}
