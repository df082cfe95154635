public import FoundationEssentials

/// The metadata fields that programs use, from EXIF data, IPTC records and the XMP packet of a file.
///
///     let metadata = try await ImageProperties(contentsOf: photo).metadata
///     print(metadata.camera ?? "unknown", metadata.keywords)
///
/// A field that is missing or damaged is `nil` or empty. If several sources state a field, EXIF data come first. XMP
/// precedes IPTC records, unless the file's digest of the records tells that a program has changed only them. This is
/// the order of the Metadata Working Group.
///
/// Control characters in texts, and so line ends, are spaces.
///
/// - Source: Metadata Working Group, Guidelines for Handling Image Metadata 2.0, §5; EXIF 2.32 §4.6; IPTC IIM 4.2.
public struct ImageMetadata: Hashable, Sendable {
    /// A named part of an image, such as a face.
    public struct Region: Hashable, Sendable {
        /// The name, as of a person; `nil` if the file states none.
        public let name: String?
        /// The kind: `Face`, `Pet`, `Focus` or `BarCode`; `nil` if the file states none.
        public let kind: String?
        /// The center of the part, from 0 to 1 of the width of the stored image.
        public let x: Double
        /// The center of the part, from 0 to 1 of the height of the stored image.
        public let y: Double
        /// The width of the part as a part of the image's; 0 for a point.
        public let width: Double
        /// The height of the part as a part of the image's; 0 for a point.
        public let height: Double
    }

    /// A value of a field.
    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Double)
        case list([String])
        case regions([Region])
    }

    /// The values by the names of ``names``.
    package internal(set) var values: [String: Value] = [:]

    /// The text of a field by its name in ExifTool, such as `LensModel`; `nil` if it is missing. Numbers are decimal,
    /// the items of a list are separated by semicolons, and times look like `2026:11:21 19:30:00.25+01:00`.
    public subscript(_ name: String) -> String? {
        switch values[name] {
        case .text(let text): text
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .list(let items): items.joined(separator: "; ")
        case .regions, nil: nil
        }
    }

    /// Returns a numeric field by its name, such as `FNumber`. Codes are those of EXIF data.
    public func number(_ name: String) -> Double? {
        if case .number(let number) = values[name] { number } else { nil }
    }

    /// Returns the items of a field, such as `Keywords`.
    public func list(_ name: String) -> [String] { if case .list(let items) = values[name] { items } else { [] } }

    /// Returns a time, such as `CreateDate`, to the second. It has a time zone only if the file states one.
    public func time(_ name: String) -> DateComponents? { self[name].flatMap { MetadataTime.components($0) } }

    private func whole(_ name: String) -> Int? { number(name).flatMap { Int(exactly: $0) } }

    /// The local time, to the second, at which the image was taken; otherwise digitized; otherwise at which the file
    /// was changed. Has a time zone only if the file states one.
    public var taken: DateComponents? { takenField.flatMap { time($0) } }
    /// ``taken`` as `2026-11-21 19:30:00`, even if numbers are out of range. `nil` without a date.
    package var takenText: String? { takenField.flatMap { self[$0] }.map { MetadataTime.parts($0).text } }
    private var takenField: String? {
        ["DateTimeOriginal", "CreateDate", "ModifyDate"].first { values[$0] != nil }
    }

    /// The camera: its model, with the maker before it unless the model begins with the maker's name.
    public var camera: String? {
        guard let make = self["Make"], let model = self["Model"] else { return self["Model"] ?? self["Make"] }
        let isSaid = model.lowercased().hasPrefix(make.split(separator: " ").first?.lowercased() ?? "")
        return isSaid ? model : "\(make) \(model)"
    }
    /// The model of the lens.
    public var lens: String? { self["LensModel"] }
    /// The program or the firmware that wrote the file.
    public var software: String? { self["Software"] }
    /// The rotation and reflection for display that the metadata state. Formats with one of their own ignore it; see
    /// ``/FirnImage/ImageProperties/orientation``.
    public var orientation: ImageOrientation? { whole("Orientation").flatMap { ImageOrientation(rawValue: $0) } }

    /// The exposure time in seconds.
    public var exposureSeconds: Double? { number("ExposureTime").flatMap { $0 > 0 ? $0 : nil } }
    /// The f-number.
    public var aperture: Double? { number("FNumber") }
    /// The sensitivity by ISO.
    public var sensitivity: Int? { whole("ISO") }
    /// The focal length in millimeters.
    public var focalLength: Double? { number("FocalLength") }
    /// True if the flash fired.
    public var flashFired: Bool? { whole("Flash").map { $0 & 1 == 1 } }

    /// The latitude in degrees, from -90 (south) to 90. Known together with ``longitude`` or not at all.
    public var latitude: Double? { number("GPSLatitude") }
    /// The longitude in degrees, from -180 (west) to 180.
    public var longitude: Double? { number("GPSLongitude") }
    /// The altitude in meters above the sea.
    public var altitude: Double? { number("GPSAltitude") }

    /// The title.
    public var title: String? { self["Title"] }
    /// A description of the image.
    public var imageDescription: String? { self["Description"] }
    /// The keywords.
    public var keywords: [String] { list("Keywords") }
    /// The rating, from 0 to 5; -1 for a rejected image.
    public var rating: Double? { number("Rating") }
    /// The authors of the image.
    public var creators: [String] { list("Creator") }
    /// The holder of the rights.
    public var copyright: String? { self["Copyright"] }
    /// Faces and other parts of the image.
    public var regions: [Region] { if case .regions(let regions) = values["RegionInfo"] { regions } else { [] } }
}

extension ImageProperties {
    /// The fields of the file's EXIF data, IPTC records and XMP packet. Read anew at each call.
    public var metadata: ImageMetadata { ImageMetadata(self) }
}

/// Times as metadata store them, in ExifTool's form: `2026:11:21 19:30:00.25+01:00`.
enum MetadataTime {
    /// Returns a time of EXIF data or XMP in that form, with a fraction and a zone if they are given; `nil` if there is
    /// no date, which cameras without a clock write as spaces or zeros between the colons.
    static func text(_ text: String?, fraction: String? = nil, zone: String? = nil) -> String? {
        let words = text?.split(maxSplits: 1, whereSeparator: { " T".contains($0) }) ?? []
        let first = words.first ?? ""
        let date = first.split(whereSeparator: { ":-/.".contains($0) })
        // XMP allows a year, and a year and a month.
        guard date.count == 3 || (1...2).contains(date.count) && !first.contains(":"),
            date.allSatisfy({ $0.contains { ("1"..."9").contains($0) } })
        else { return nil }
        let day = date.joined(separator: ":")
        guard words.count == 2, words[1].contains(where: \.isNumber) else { return day }
        let digits = fraction.map { $0.prefix { $0.isNumber } } ?? ""
        let offset = zone.flatMap { isZone($0) ? $0 : nil } ?? ""
        let isWhole = !digits.isEmpty && !words[1].contains(".")
        return "\(day) \(words[1])" + (isWhole ? ".\(digits)" : "") + offset
    }

    private static func isZone(_ text: String) -> Bool {
        text.utf8.count == 6 && (text.hasPrefix("+") || text.hasPrefix("-")) || text == "Z"
    }

    /// Returns a time as `2026-11-21 19:30:00`, and its zone.
    static func parts(_ text: String) -> (text: String, zone: String?) {
        let words = text.split(separator: " ", maxSplits: 1)
        let day = words.first.map { String($0).replacing(":", with: "-") } ?? ""
        guard words.count == 2 else { return (day, nil) }
        let time = words[1].prefix { !"+-Z".contains($0) }
        let zone = String(words[1][time.endIndex...])
        return ("\(day) \(time.prefix { $0 != "." })", isZone(zone) ? zone : nil)
    }

    /// Returns the parts of a time; `nil` if one of them is out of its range.
    static func components(_ text: String) -> DateComponents? {
        let (text, zone) = parts(text)
        let words = text.split(whereSeparator: { "- :".contains($0) })
        let parts = words.compactMap { Int($0) }
        let ranges = [1...9999, 1...12, 1...31, 0...23, 0...59, 0...60]
        guard words.count == parts.count, (5...6).contains(parts.count),
            zip(ranges, parts).allSatisfy({ $0.contains($1) })
        else { return nil }
        return DateComponents(
            timeZone: zone.flatMap(timeZone), year: parts[0], month: parts[1], day: parts[2], hour: parts[3],
            minute: parts[4], second: parts.count == 6 ? parts[5] : 0)
    }

    private static func timeZone(_ text: String) -> TimeZone? {
        let parts = text == "Z" ? [0, 0] : text.dropFirst().split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2, (0...15).contains(parts[0]), (0...59).contains(parts[1]) else { return nil }
        let seconds = parts[0] * 3_600 + parts[1] * 60
        return TimeZone(secondsFromGMT: text.hasPrefix("-") ? -seconds : seconds)
    }
}
