public import FoundationEssentials

/// The most common fields of EXIF data: camera, time, exposure, location, author.
///
///     let properties = try await ImageProperties(contentsOf: photo)
///     print(properties.exifFields?.camera ?? "unknown")
///
/// A field that is missing or damaged is `nil`.
///
/// - Source: EXIF 2.32 §4.6.
public struct ExifFields: Hashable, Sendable {
    /// The camera: its model, with the maker before it unless the model begins with the maker's name.
    public let camera: String?
    /// The model of the lens.
    public let lens: String?
    /// The local time, to the second, at which the image was taken; otherwise digitized; otherwise at which the file
    /// was changed. Has a time zone only if the file states one.
    public let taken: DateComponents?
    /// The exposure time in seconds.
    public let exposureSeconds: Double?
    /// The f-number.
    public let aperture: Double?
    /// The sensitivity by ISO.
    public let sensitivity: Int?
    /// The focal length in millimeters.
    public let focalLength: Double?
    /// True if the flash fired.
    public let flashFired: Bool?
    /// The latitude in degrees, from -90 (south) to 90. Known together with ``longitude`` or not at all.
    public let latitude: Double?
    /// The longitude in degrees, from -180 (west) to 180.
    public let longitude: Double?
    /// A description of the image.
    public let imageDescription: String?
    /// The author of the image.
    public let artist: String?
    /// The holder of the rights.
    public let copyright: String?
    /// The program or the firmware that wrote the file.
    public let software: String?

    /// ``taken`` as `2026-11-21 19:30:00`, even if numbers are out of range. `nil` without a date.
    package let takenText: String?
    /// The zone of ``taken``, such as `+01:00`.
    package let takenZone: String?

    /// Reads the data that a decoder returns as ``/FirnImage/ImageProperties/exif``. Damaged data have no fields.
    public init(_ data: Data) {
        let tiff = EXIFDirectories(data)
        let main = tiff?.first
        let exif = tiff?.value(0x8769, in: main)
        func text(_ tag: Int, _ directory: Int?) -> String? {
            tiff?.text(tag, in: directory).flatMap { $0.isEmpty ? nil : $0 }
        }
        func fraction(_ tag: Int) -> Double? { tiff?.fractions(tag, in: exif).first }
        camera = ExifFields.camera(text(0x010F, main), text(0x0110, main))
        lens = text(0xA434, exif)
        // The times at which the image was taken, digitized and changed, with their zones.
        let times = [(0x9003, exif, 0x9011), (0x9004, exif, 0x9012), (0x0132, main, 0x9010)].lazy.compactMap {
            tag, directory, zone in
            text(tag, directory).flatMap(ExifFields.time).map { (text: $0, zone: text(zone, exif)) }
        }
        let time = times.first
        takenText = time?.text
        takenZone = time?.zone.flatMap { zone in
            zone.utf8.count == 6 && (zone.hasPrefix("+") || zone.hasPrefix("-")) ? zone : nil
        }
        taken = ExifFields.components(takenText, takenZone)
        exposureSeconds = fraction(0x829A).flatMap { $0 > 0 ? $0 : nil }
        aperture = fraction(0x829D)
        sensitivity = tiff?.value(0x8827, in: exif)
        focalLength = fraction(0x920A)
        flashFired = tiff?.value(0x9209, in: exif).map { $0 & 1 == 1 }
        let location = tiff.flatMap { ExifFields.location($0, $0.value(0x8825, in: main)) }
        latitude = location?.latitude
        longitude = location?.longitude
        imageDescription = text(0x010E, main)
        artist = text(0x013B, main)
        copyright = text(0x8298, main)
        software = text(0x0131, main)
    }

    private static func camera(_ make: String?, _ model: String?) -> String? {
        guard let make, let model else { return model ?? make }
        let isSaid = model.lowercased().hasPrefix(make.split(separator: " ").first?.lowercased() ?? "")
        return isSaid ? model : "\(make) \(model)"
    }

    /// Converts `2026:11:21 19:30:00` to `2026-11-21 19:30:00`; `nil` if there is no date, which cameras without a
    /// clock write as spaces or zeros between the colons.
    private static func time(_ text: String) -> String? {
        let parts = text.split(separator: " ", maxSplits: 1)
        let date = parts.first?.split(whereSeparator: { ":-/.".contains($0) }) ?? []
        guard date.count == 3, date.allSatisfy({ $0.contains { ("1"..."9").contains($0) } }) else { return nil }
        let day = date.joined(separator: "-")
        guard parts.count == 2, parts[1].contains(where: { ("0"..."9").contains($0) }) else { return day }
        return "\(day) \(parts[1])"
    }

    /// Returns the parts of `2026-11-21 19:30:00`; `nil` if one of them is out of its range.
    private static func components(_ text: String?, _ zone: String?) -> DateComponents? {
        let words = text?.split(whereSeparator: { "- :".contains($0) }) ?? []
        let parts = words.compactMap { Int($0) }
        let ranges = [1...9999, 1...12, 1...31, 0...23, 0...59, 0...60]
        guard words.count == 6, parts.count == 6, zip(ranges, parts).allSatisfy({ $0.contains($1) }) else { return nil }
        return DateComponents(
            timeZone: zone.flatMap(ExifFields.zone), year: parts[0], month: parts[1], day: parts[2], hour: parts[3],
            minute: parts[4], second: parts[5])
    }

    private static func zone(_ text: String) -> TimeZone? {
        let parts = text.dropFirst().split(separator: ":").map { Int($0) }
        guard parts.count == 2, let hours = parts[0], let minutes = parts[1], (0...15).contains(hours),
            (0...59).contains(minutes)
        else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return TimeZone(secondsFromGMT: text.hasPrefix("-") ? -seconds : seconds)
    }

    private static func location(_ tiff: EXIFDirectories, _ directory: Int?) -> (latitude: Double, longitude: Double)? {
        func degrees(_ tag: Int, most: Double) -> Double? {
            let parts = tiff.fractions(tag, in: directory)
            guard parts.count == 3 else { return nil }
            let value = parts[0] + parts[1] / 60 + parts[2] / 3_600
            return value <= most ? value : nil
        }
        guard let latitude = degrees(2, most: 90), let longitude = degrees(4, most: 180) else { return nil }
        return (
            tiff.text(1, in: directory) == "S" ? -latitude : latitude,
            tiff.text(3, in: directory) == "W" ? -longitude : longitude
        )
    }
}

extension ImageProperties {
    /// The fields of ``/FirnImage/ImageProperties/exif`` as values; `nil` if the file has no EXIF data.
    public var exifFields: ExifFields? { exif.map { ExifFields($0) } }
}
