import FirnData
import FirnSystem
package import FoundationEssentials

extension ImageMetadata {
    /// A field: its name in ExifTool, and the places that state it, in the order of precedence.
    private struct Field {
        enum Directory { case main, details, gps }
        enum Kind { case text, number, list, rights, comment, exponent, halfExponent, lens }

        let name: String
        var kind = Kind.text
        var tag: (directory: Directory, number: Int)?
        /// The number of the records of application 2.
        var record: UInt8?
        var xmp: [String] = []

        /// - Parameter xmp: if there are none, the property of that name in the namespace of EXIF.
        static func exif(
            _ name: String, _ tag: Int, _ kind: Kind = .text, in directory: Directory = .details, xmp: String...
        ) -> Field {
            Field(name: name, kind: kind, tag: (directory, tag), xmp: xmp.isEmpty ? ["exif:" + name] : xmp)
        }

        static func iptc(
            _ name: String, _ record: UInt8?, _ kind: Kind = .text, tag: Int? = nil, xmp: String...
        ) -> Field { Field(name: name, kind: kind, tag: tag.map { (.main, $0) }, record: record, xmp: xmp) }
    }

    private static let shown = "Iptc4xmpExt:LocationShown/Iptc4xmpExt:"

    private static let fields: [Field] = [
        .exif("Make", 0x010F, in: .main, xmp: "tiff:Make"), .exif("Model", 0x0110, in: .main, xmp: "tiff:Model"),
        .exif("SerialNumber", 0xA431, xmp: "exifEX:BodySerialNumber", "aux:SerialNumber"),
        .exif("OwnerName", 0xA430, xmp: "exifEX:CameraOwnerName", "aux:OwnerName"),
        .exif("LensMake", 0xA433, xmp: "exifEX:LensMake"),
        .exif("LensModel", 0xA434, xmp: "exifEX:LensModel", "aux:Lens"),
        .exif("LensSerialNumber", 0xA435, xmp: "exifEX:LensSerialNumber", "aux:LensSerialNumber"),
        .exif("LensInfo", 0xA432, .lens), .exif("Software", 0x0131, in: .main, xmp: "tiff:Software"),
        .exif("HostComputer", 0x013C, in: .main), .iptc("CreatorTool", nil, xmp: "xmp:CreatorTool"),
        .exif("Orientation", 0x0112, .number, in: .main, xmp: "tiff:Orientation"),
        .exif("ISO", 0x8827, .number, xmp: "exifEX:PhotographicSensitivity", "exif:ISOSpeedRatings"),
        .exif("ExposureTime", 0x829A, .number), .exif("FNumber", 0x829D, .number),
        .exif("ExposureProgram", 0x8822, .number), .exif("ExposureMode", 0xA402, .number),
        .exif("ExposureCompensation", 0x9204, .number, xmp: "exif:ExposureBiasValue"),
        .exif("MeteringMode", 0x9207, .number), .exif("LightSource", 0x9208, .number), .exif("Flash", 0x9209, .number),
        .exif("WhiteBalance", 0xA403, .number), .exif("FocalLength", 0x920A, .number),
        .exif("FocalLengthIn35mmFormat", 0xA405, .number, xmp: "exif:FocalLengthIn35mmFilm"),
        .exif("ShutterSpeedValue", 0x9201, .exponent), .exif("ApertureValue", 0x9202, .halfExponent),
        .exif("MaxApertureValue", 0x9205, .halfExponent), .exif("BrightnessValue", 0x9203, .number),
        .exif("SubjectDistance", 0x9206, .number), .exif("DigitalZoomRatio", 0xA404, .number),
        .exif("SceneCaptureType", 0xA406, .number), .exif("Contrast", 0xA408, .number),
        .exif("Saturation", 0xA409, .number), .exif("Sharpness", 0xA40A, .number), .exif("ColorSpace", 0xA001, .number),
        .exif("ExifImageWidth", 0xA002, .number, xmp: "exif:PixelXDimension"),
        .exif("ExifImageHeight", 0xA003, .number, xmp: "exif:PixelYDimension"), .exif("ImageUniqueID", 0xA420),
        .exif("UserComment", 0x9286, .comment), .exif("GPSImgDirection", 0x11, .number, in: .gps),
        .exif("GPSSpeed", 0x0D, .number, in: .gps), .exif("GPSHPositioningError", 0x1F, .number, in: .gps),
        .iptc("Location", 92, xmp: shown + "Sublocation", "Iptc4xmpCore:Location"),
        .iptc("City", 90, xmp: shown + "City", "photoshop:City"),
        .iptc("State", 95, xmp: shown + "ProvinceState", "photoshop:State"),
        .iptc("Country", 101, xmp: shown + "CountryName", "photoshop:Country"),
        .iptc("CountryCode", 100, xmp: shown + "CountryCode", "Iptc4xmpCore:CountryCode"),
        .iptc("Title", 5, xmp: "dc:title"), .iptc("Headline", 105, xmp: "photoshop:Headline"),
        .iptc("Description", 120, tag: 0x010E, xmp: "dc:description"),
        .iptc("Keywords", 25, .list, xmp: "dc:subject"), .iptc("Rating", nil, .number, xmp: "xmp:Rating"),
        .iptc("Label", nil, xmp: "xmp:Label"), .iptc("Creator", 80, .list, tag: 0x013B, xmp: "dc:creator"),
        .iptc("AuthorsPosition", 85, xmp: "photoshop:AuthorsPosition"),
        .iptc("Credit", 110, xmp: "photoshop:Credit"), .iptc("Source", 115, xmp: "photoshop:Source"),
        .iptc("CaptionWriter", 122, xmp: "photoshop:CaptionWriter"),
        .iptc("Copyright", 116, .rights, tag: 0x8298, xmp: "dc:rights"),
        .iptc("UsageTerms", nil, xmp: "xmpRights:UsageTerms"),
        .iptc("WebStatement", nil, xmp: "xmpRights:WebStatement"),
        .iptc("Instructions", 40, xmp: "photoshop:Instructions"),
        .iptc("PersonInImage", nil, .list, xmp: "Iptc4xmpExt:PersonInImage"),
        .iptc("DigitalSourceType", nil, xmp: "Iptc4xmpExt:DigitalSourceType"),
    ]

    /// The names of all fields, in the order of display.
    package static let names =
        ["DateTimeOriginal", "CreateDate", "ModifyDate"] + fields.map(\.name)
        + ["GPSLatitude", "GPSLongitude", "GPSAltitude", "GPSDateTime", "RegionInfo"]

    /// Reads the fields of EXIF data alone.
    package init(exif: Data) {
        self.init(exif: EXIFDirectories(exif), records: IPTCRecords(Data()), isSynchronized: true, XMPPacket(nil))
    }

    /// Reads the fields of a file. Takes linear time.
    init(_ properties: ImageProperties) {
        let current = properties.iptc.map { MD5.hexadecimal(of: [UInt8]($0)) }
        self.init(
            exif: properties.exif.flatMap { EXIFDirectories($0) }, records: IPTCRecords(properties.iptc ?? Data()),
            isSynchronized: properties.iptcDigest.map { [UInt8]($0).hexadecimal == current } ?? true,
            XMPPacket(properties.xmp, extension: properties.extendedXMP))
        if properties.format == .tiff { values["Orientation"] = .number(Double(properties.orientation.rawValue)) }
        // The texts of a PNG come last.
        values["Creator"] = values["Creator"] ?? ImageMetadata.value(.list, [properties.texts["Author"] ?? ""])
        values["Copyright"] = values["Copyright"] ?? ImageMetadata.value(.text, [properties.texts["Copyright"] ?? ""])
    }

    // MARK: Formats without IPTC records

    /// Returns an XMP packet with the fields of a block of IPTC records that it lacks; `nil` if the packet is damaged and
    /// still has properties. One without properties is replaced.
    ///
    /// - Source: IPTC Photo Metadata Standard 2023.2, the properties of both forms.
    static func packet(_ packet: Data?, adding block: Data) -> Data? {
        let (records, xmp) = (IPTCRecords(block), XMPPacket(packet))
        var edits: [Edit] = []
        let dates = [
            (["photoshop:DateCreated", "exif:DateTimeOriginal"], times[0]),
            (["xmp:CreateDate", "exif:DateTimeDigitized"], times[1]),
        ]
        for (names, numbers) in dates where names.allSatisfy({ xmp.texts($0).isEmpty }) {
            let time = records.time(numbers.0, numbers.1).flatMap { MetadataTime.components($0) }
            if let time { edits.append(numbers.0 == 55 ? .taken(time) : .digitized(time)) }
        }
        var change = MetadataChange(edits)
        for field in fields where field.xmp.allSatisfy({ xmp.texts($0).isEmpty }) {
            let texts = field.record.map { records.texts($0).filter { !$0.isEmpty } } ?? []
            if let name = field.xmp.last, let text = texts.first {
                change.add(name, field.kind == .list ? texts : [text])
            }
        }
        return change.xmp(packet ?? Data())
    }

    /// Returns whether a file without IPTC records has all fields of those of its source.
    static func keepsRecords(of source: ImageProperties, in output: ImageProperties) -> Bool {
        let records = IPTCRecords(source.iptc ?? Data())
        let stated = fields.filter { $0.record.map { !records.texts($0).isEmpty } ?? false }
        let (old, new) = (ImageMetadata(source), ImageMetadata(output))
        // The version of the records is no field.
        let known = Set(fields.compactMap(\.record) + times.flatMap { [$0.0, $0.1] } + [0])
        return records.numbers.isSubset(of: known)
            && (stated.map(\.name) + ["DateTimeOriginal", "CreateDate"]).allSatisfy { old.values[$0] == new.values[$0] }
    }

    /// The records of the days and the times of creation and of digitization.
    private static let times: [(UInt8, UInt8)] = [(55, 60), (62, 63)]

    /// - Parameter isSynchronized: whether XMP precedes the records.
    private init(exif: EXIFDirectories?, records: IPTCRecords, isSynchronized: Bool, _ xmp: XMPPacket) {
        let main = exif?.first
        let (details, gps) = (exif?.value(0x8769, in: main), exif?.value(0x8825, in: main))
        func directory(_ directory: Field.Directory) -> Int? {
            directory == .main ? main : directory == .gps ? gps : details
        }
        func first<T>(_ recorded: T?, _ described: T?) -> T? {
            isSynchronized ? described ?? recorded : recorded ?? described
        }
        for field in Self.fields {
            let stated = field.tag.flatMap { tag in
                exif.flatMap { ImageMetadata.value(field.kind, $0, tag.number, directory(tag.directory)) }
            }
            let recorded = field.record.map { ImageMetadata.value(field.kind, records.texts($0)) } ?? nil
            let described = field.xmp.lazy.compactMap { ImageMetadata.value(field.kind, xmp.texts($0)) }.first
            values[field.name] = stated ?? first(recorded, described)
        }
        /// - Parameters:
        ///   - tags: the tags of the fraction of the second and of the zone.
        ///   - names: the properties in XMP; the first one holds the fraction.
        func takeTime(
            _ name: String, _ stated: String?, _ tags: (Int, Int), _ records: String?, xmp names: String...
        ) {
            let fraction = exif?.text(tags.0, in: details) ?? names.first.flatMap { xmp.text($0) }
            let zone = exif?.text(tags.1, in: details)
            let described = names.dropFirst().lazy.compactMap { MetadataTime.text(xmp.text($0)) }.first
            let value = MetadataTime.text(stated, fraction: fraction, zone: zone) ?? first(records, described)
            values[name] = value.map(Value.text)
        }
        takeTime(
            "DateTimeOriginal", exif?.text(0x9003, in: details), (0x9291, 0x9011), records.time(55, 60),
            xmp: "exif:SubSecTimeOriginal", "photoshop:DateCreated", "exif:DateTimeOriginal")
        takeTime(
            "CreateDate", exif?.text(0x9004, in: details), (0x9292, 0x9012), records.time(62, 63),
            xmp: "exif:SubSecTimeDigitized", "xmp:CreateDate", "exif:DateTimeDigitized")
        takeTime(
            "ModifyDate", exif?.text(0x0132, in: main), (0x9290, 0x9010), nil,
            xmp: "exif:SubSecTime", "xmp:ModifyDate", "tiff:DateTime")
        takePlace(exif, gps, xmp)
        let regions = xmp.properties["mwg-rs:Regions"]?["mwg-rs:RegionList"]?.items.compactMap { Region($0) } ?? []
        if !regions.isEmpty { values["RegionInfo"] = .regions(regions) }
    }

    private mutating func takePlace(_ exif: EXIFDirectories?, _ gps: Int?, _ xmp: XMPPacket) {
        func degrees(_ tag: Int, _ name: String, most: Double) -> Double? {
            let parts = exif?.numbers(tag, in: gps) ?? []
            var value = parts.count == 3 ? parts[0] + parts[1] / 60 + parts[2] / 3_600 : nil
            if ["S", "W"].contains(exif?.text(tag - 1, in: gps)) { value = value.map { -$0 } }
            // Degrees, minutes and seconds, or minutes with a fraction, and a letter.
            if value == nil, let text = xmp.text(name) {
                let words = text.dropLast().split(separator: ",").compactMap { Double($0) }
                value = (1...3).contains(words.count) ? zip(words, [1, 60, 3_600]).reduce(0) { $0 + $1.0 / $1.1 } : nil
                if text.hasSuffix("S") || text.hasSuffix("W") { value = value.map { -$0 } }
            }
            return value.flatMap { abs($0) <= most ? $0 : nil }
        }
        if let latitude = degrees(2, "exif:GPSLatitude", most: 90),
            let longitude = degrees(4, "exif:GPSLongitude", most: 180)
        {
            values["GPSLatitude"] = .number(latitude)
            values["GPSLongitude"] = .number(longitude)
        }
        let stated = exif?.numbers(6, in: gps).first
        let isBelow = stated == nil ? xmp.text("exif:GPSAltitudeRef") == "1" : exif?.numbers(5, in: gps).first == 1
        if let altitude = stated ?? ImageMetadata.number(xmp.text("exif:GPSAltitude")) {
            values["GPSAltitude"] = .number(isBelow ? -altitude : altitude)
        }
        let time = exif?.numbers(7, in: gps) ?? []
        if time.count == 3, let day = exif?.text(0x1D, in: gps) {
            // Fractions of 32 bits have no more digits.
            func two(_ number: Double) -> String {
                let number = (number * 1e7).rounded() / 1e7
                return (number < 10 ? "0" : "") + (Int(exactly: number).map { "\($0)" } ?? "\(number)")
            }
            let clock = time.allSatisfy { (0..<100).contains($0) } ? time.map(two).joined(separator: ":") : nil
            values["GPSDateTime"] = clock.flatMap { MetadataTime.text("\(day) \($0)Z") }.map(Value.text)
        } else {
            values["GPSDateTime"] = MetadataTime.text(xmp.text("exif:GPSTimeStamp")).map(Value.text)
        }
    }

    // MARK: Values

    private static func value(_ kind: Field.Kind, _ exif: EXIFDirectories, _ tag: Int, _ directory: Int?) -> Value? {
        switch kind {
        case .text: return value(kind, exif.text(tag, in: directory).map { [$0] } ?? [])
        // The photographer's rights, a zero, the editor's rights.
        case .rights: return value(.text, exif.data(tag, in: directory).map { [String(ofMetadata: $0)] } ?? [])
        // EXIF data hold several authors in one text.
        case .list: return value(kind, exif.text(tag, in: directory)?.split(separator: ";").map { String($0) } ?? [])
        case .number, .exponent, .halfExponent:
            return exif.numbers(tag, in: directory).first.flatMap { value(kind, $0) }
        case .lens:
            let numbers = exif.numbers(tag, in: directory)
            let texts = numbers.map { Int(exactly: $0).map { "\($0)" } ?? "\($0)" }
            return numbers.count == 4 ? .text(texts.joined(separator: " ")) : nil
        case .comment:
            // Eight bytes name the characters, but not in all files.
            guard let bytes = exif.data(tag, in: directory) else { return nil }
            let isNamed = ["ASCII\0", "UNICODE\0", "JIS\0", "\0\0\0\0"].contains { bytes.starts(with: $0.utf8) }
            let text = isNamed ? bytes.dropFirst(8) : bytes
            guard bytes.starts(with: "UNICODE".utf8) else {
                return value(.text, [String(ofMetadata: text.prefix { $0 != 0 })])
            }
            let units = stride(from: 0, to: text.count - 1, by: 2).map { offset in
                UInt16(truncatingIfNeeded: exif.isBig ? text.big(offset, 2) : text.little(offset, 2))
            }
            return value(.text, [String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)])
        }
    }

    /// Returns the value of texts of IPTC records or XMP; `nil` if there is none.
    private static func value(_ kind: Field.Kind, _ texts: [String]) -> Value? {
        let texts = texts.map(\.withoutControlCharacters).filter { !$0.isEmpty }
        guard let first = texts.first else { return nil }
        switch kind {
        case .list: return .list(texts)
        case .number, .exponent, .halfExponent: return number(first).flatMap { value(kind, $0) }
        case .text, .rights, .comment, .lens: return .text(first)
        }
    }

    /// Returns a number; APEX values become seconds and f-numbers.
    private static func value(_ kind: Field.Kind, _ number: Double) -> Value? {
        guard number.isFinite else { return nil }
        let isExponent = kind == .exponent || kind == .halfExponent
        guard isExponent else { return .number(number) }
        return abs(number) < 100 ? .number(exp2(kind == .exponent ? -number : number / 2)) : nil
    }

    /// Returns a number, or a fraction as XMP writes it: `1/250`.
    static func number(_ text: String?) -> Double? {
        let parts = text?.split(separator: "/").map { Double($0) } ?? []
        guard let above = parts.first ?? nil else { return nil }
        guard parts.count == 2 else { return parts.count == 1 ? above : nil }
        return parts[1].flatMap { $0 == 0 ? nil : above / $0 }
    }
}

extension ImageMetadata.Region {
    /// Reads a region of the Metadata Working Group; `nil` unless it has a place.
    fileprivate init?(_ region: XMPPacket.Value) {
        func text(_ value: XMPPacket.Value?) -> String? { value?.texts.first }
        func number(_ name: String) -> Double? { ImageMetadata.number(text(region["mwg-rs:Area"]?["stArea:\(name)"])) }
        guard let x = number("x"), let y = number("y") else { return nil }
        self.init(
            name: text(region["mwg-rs:Name"]), kind: text(region["mwg-rs:Type"]), x: x, y: y, width: number("w") ?? 0,
            height: number("h") ?? 0)
    }
}

extension XMPPacket {
    /// Returns the texts of a property, or of a field of the first structure of a property: `property/field`.
    fileprivate func texts(_ path: String) -> [String] {
        let parts = path.split(separator: "/", maxSplits: 1).map { String($0) }
        guard let first = parts.first, let value = properties[first] else { return [] }
        return (parts.count == 2 ? value.items.first?[parts[1]] : value)?.texts ?? []
    }
}

extension IPTCRecords {
    /// Returns the time of a record of a date and of one of a time.
    fileprivate func time(_ date: UInt8, _ time: UInt8) -> String? {
        guard let day = texts(date).first, day.utf8.count == 8 else { return nil }
        func pairs(_ text: Substring) -> String {
            stride(from: 0, to: text.count, by: 2).map { String(text.dropFirst($0).prefix(2)) }.joined(separator: ":")
        }
        let clock = (texts(time).first ?? "").prefix(11)
        let zone = clock.dropFirst(6)
        let hours = clock.isEmpty ? "" : " " + pairs(clock.prefix(6)) + zone.prefix(1) + pairs(zone.dropFirst())
        return MetadataTime.text("\(day.prefix(4)):\(pairs(day.dropFirst(4)))\(hours)")
    }
}
