import FirnData
import FirnSync
public import FoundationEssentials

extension ImageMetadata {
    /// A change of a file's metadata.
    ///
    /// Each field is written to the XMP packet, to the EXIF data if they have such a field, and to the IPTC records if
    /// the file has some, so that all of them agree. `nil`, or an empty list, removes the field everywhere.
    ///
    /// - Source: Metadata Working Group, Guidelines for Handling Image Metadata 2.0, §5.
    public enum Edit: Hashable, Sendable {
        /// Sets the title, in all languages.
        case title(String?)
        /// Sets the description, in all languages.
        case description(String?)
        /// Sets the keywords.
        case keywords([String])
        /// Sets the rating: 0 to 5, or -1 for a rejected image.
        case rating(Double?)
        /// Sets the authors.
        case creators([String])
        /// Sets the holder of the rights, in all languages.
        case copyright(String?)
        /// Sets the time at which the image was taken. A time without a zone is a local time.
        case taken(DateComponents?)
        /// Sets the time at which the image was digitized.
        case digitized(DateComponents?)
        /// Sets the time at which the image was changed.
        case modified(DateComponents?)
        /// Sets the location in degrees, south and west negative, and in meters above the sea. Removes the old one, as
        /// ``removePlace`` does.
        case place(latitude: Double, longitude: Double, altitude: Double? = nil)
        /// Removes the location: coordinates, and names of places. Maker notes, which are undocumented, stay.
        case removePlace
        /// Removes the owner, the serial numbers of camera and lens, and the maker notes, which repeat them.
        case removeSerials
    }

    /// Changes the metadata of a file. The coded pixels stay as they are, byte for byte.
    ///
    ///     try await ImageMetadata.apply([.title("Harbor"), .removePlace], to: photo)
    ///
    /// Changes JPEG, PNG, WebP, TIFF, AVIF, HEIC and JPEG XL files. The file is written under a temporary name and then
    /// renamed, as by `Bitmap.write(to:quality:metadata:)`: a failure leaves the older file.
    ///
    /// - Parameters:
    ///   - edits: the changes, in order.
    ///   - url: the `file:` URL.
    ///   - newURL: the `file:` URL to write. Default: `nil`, the same file.
    /// - Throws: ``/FirnImage/ImageError`` for another format, or a file whose structure does not allow the changes.
    public static func apply(_ edits: [Edit], to url: URL, writingTo newURL: URL? = nil) async throws(ImageError) {
        let path = try SourceImage.path(of: url)
        let newPath = try newURL.map(SourceImage.path) ?? path
        try await BlockingCall.run(at: .writing, path: path) { flag in
            let most = ImageLimits().maximumBytes
            let file = try ImageError.file(path, at: .reading) {
                let file = try LocalFileSystem().read(path, first: most.saturatingAdd(1))
                guard file.count <= most else { throw ImageLimits().tooManyBytes }
                return file
            }
            _ = try ImageError.file(newPath, at: .writing) {
                try OutputFile.write(apply(edits, toFile: file, flag), to: newPath)
            }
        }
    }

    /// Returns the time of a text such as `2026-11-21 19:30:00+01:00`; `nil` if it is none.
    package static func time(of text: String) -> DateComponents? {
        MetadataTime.text(text).flatMap { MetadataTime.components($0) }
    }

    /// Returns a file with changed metadata, as ``apply(_:to:writingTo:)`` writes it.
    ///
    /// - Parameter strips: whether all packets of metadata are removed before the changes; the color profile stays.
    package static func apply(
        _ edits: [Edit], toFile file: Data, strips: Bool = false, limits: ImageLimits = ImageLimits(),
        _ flag: CancellationFlag = CancellationFlag()
    ) throws(ImageError) -> Data {
        func properties(_ file: Data) throws(ImageError) -> ImageProperties {
            try SourceImage.data(file, isolation: .standard, limits: limits, flag) { $0.properties }
        }
        let old = try properties(file)
        guard MetadataFile.formats.contains(old.format) else {
            throw MetadataFile.error(.unsupported, "metadata of this format are not changed", old.format)
        }
        let change = MetadataChange(edits)
        var base = file
        if strips, let bare = try stripped(file, old) { base = bare }
        let new = try change.apply(to: base, try strips ? properties(base) : old)
        let written = try properties(new)
        guard written.shows(old), written.hasGainMap == old.hasGainMap, change.isVisible(in: written.metadata) else {
            throw MetadataFile.error(
                .unsupported, "the file would not hold the changed metadata, so it stays as it is", old.format)
        }
        return new
    }

    /// Returns a file without packets; `nil` if it has none.
    private static func stripped(_ file: Data, _ old: ImageProperties) throws(ImageError) -> Data? {
        let exif = StrippedFile.exif(old.orientation)
        if let copy = StrippedFile.copy(file, format: old.format, exif: exif) { return copy }
        var packets = MetadataPackets(exif: Data(), xmp: Data(), extendedXMP: Data(), iptc: Data())
        if old.format == .tiff {
            packets.exif = nil
            guard var directories = EXIFDirectories(file), directories.remove([.gps]) else {
                throw MetadataFile.error(.unsupported, "BigTIFF files are not changed", .tiff)
            }
            let details = EXIFDirectories.Place.details.rawValue
            directories.remove([details], from: directories.first, areDirectories: true)
            let texts: Set = [269, 285, 34_377]
            guard directories.edit(.main, removing: TIFFDirectory.describing.union(texts), adding: [:]) else {
                return nil
            }
            return try MetadataFile.replacing(packets, in: Data(directories.bytes), of: .tiff)
        }
        return try MetadataFile.replacing(packets, in: file, of: old.format)
    }
}

extension ImageProperties {
    /// Returns whether a file has the same pixels as one with these properties, according to its header.
    package func shows(_ other: ImageProperties) -> Bool {
        format == other.format && size == other.size && orientation == other.orientation
            && frameCount == other.frameCount && hasAlpha == other.hasAlpha && bitDepth == other.bitDepth
            && colorProfile == other.colorProfile
    }
}

/// The changes of edits in each kind of packet.
struct MetadataChange {
    private typealias NewValue = EXIFDirectories.NewValue

    /// The properties that are removed from XMP, and the elements that are added.
    private var names: [String] = []
    private var elements: [String: String] = [:]
    private var removed: [EXIFDirectories.Place: Set<Int>] = [:]
    private var added: [EXIFDirectories.Place: [Int: NewValue]] = [:]
    private var removedParts: Set<EXIFPart> = []
    private var records: [UInt8: [String]] = [:]
    private var texts: Set<String> = []

    init(_ edits: [ImageMetadata.Edit]) { for edit in edits { take(edit) } }

    private mutating func take(_ edit: ImageMetadata.Edit) {
        switch edit {
        case .title(let text):
            set(["dc:title"], text.map { Self.alternatives("dc:title", $0) })
            set(records: 5, [text], "Title")
        case .description(let text):
            set(["dc:description"], text.map { Self.alternatives("dc:description", $0) })
            set(records: 120, [text], "Description")
            set(.main, 0x010E, text)
        case .keywords(let texts):
            set(["dc:subject"], Self.list("dc:subject", "Bag", texts))
            set(records: 25, texts)
        case .rating(let number):
            let text = number.map { Int(exactly: $0).map { "\($0)" } ?? "\($0)" }
            set(["xmp:Rating", "MicrosoftPhoto:Rating"], text.map { "<xmp:Rating>\($0)</xmp:Rating>" })
            // Fields of Windows.
            removed[.main, default: []].formUnion([0x4746, 0x4749])
        case .creators(let texts):
            set(["dc:creator"], Self.list("dc:creator", "Seq", texts))
            set(records: 80, texts, "Author")
            set(.main, 0x013B, texts.isEmpty ? nil : texts.joined(separator: "; "))
        case .copyright(let text):
            set(["dc:rights"], text.map { Self.alternatives("dc:rights", $0) })
            set(records: 116, [text], "Copyright")
            set(.main, 0x8298, text)
        case .taken(let time):
            set(time, "photoshop:DateCreated", ["exif:DateTimeOriginal", "exif:SubSecTimeOriginal"], records: (55, 60))
            set(time, .details, 0x9003, fraction: 0x9291, zone: 0x9011)
        case .digitized(let time):
            set(time, "xmp:CreateDate", ["exif:DateTimeDigitized", "exif:SubSecTimeDigitized"], records: (62, 63))
            set(time, .details, 0x9004, fraction: 0x9292, zone: 0x9012)
        case .modified(let time):
            set(time, "xmp:ModifyDate", ["tiff:DateTime", "exif:SubSecTime"], records: nil)
            set(time, .main, 0x0132, fraction: 0x9290, zone: 0x9010)
        case .place(let latitude, let longitude, let altitude):
            take(.removePlace)
            setPlace(latitude, longitude, altitude)
        case .removePlace:
            removedParts.insert(.gps)
            added[.gps] = nil
            for name in elements.keys where name.hasPrefix("exif:GPS") { elements[name] = nil }
            names += [
                "exif:GPS*", "photoshop:City", "photoshop:State", "photoshop:Country", "Iptc4xmpCore:Location",
                "Iptc4xmpCore:CountryCode", "Iptc4xmpExt:Location*",
            ]
            for record: UInt8 in [26, 27, 90, 92, 95, 100, 101] { records[record] = [] }
        case .removeSerials:
            removedParts.insert(.serials)
            names += [
                "exifEX:BodySerialNumber", "exifEX:LensSerialNumber", "exifEX:CameraOwnerName", "aux:SerialNumber",
                "aux:LensSerialNumber", "aux:OwnerName",
            ]
        }
    }

    // MARK: Fields

    /// Adds a property to the XMP packet, in the form of its kind.
    mutating func add(_ name: String, _ texts: [String]) {
        elements[name] =
            switch name {
            case "dc:title", "dc:description", "dc:rights": Self.alternatives(name, texts.first ?? "")
            case "dc:subject": Self.list(name, "Bag", texts)
            case "dc:creator": Self.list(name, "Seq", texts)
            default: "<\(name)>\(XMPEditor.escaped(texts.first ?? ""))</\(name)>"
            }
    }

    private static func alternatives(_ name: String, _ text: String) -> String {
        #"<\#(name)><rdf:Alt><rdf:li xml:lang="x-default">\#(XMPEditor.escaped(text))</rdf:li></rdf:Alt></\#(name)>"#
    }

    private static func list(_ name: String, _ kind: String, _ texts: [String]) -> String? {
        let items = texts.map { "<rdf:li>\(XMPEditor.escaped($0))</rdf:li>" }.joined()
        return texts.isEmpty ? nil : "<\(name)><rdf:\(kind)>\(items)</rdf:\(kind)></\(name)>"
    }

    private mutating func set(_ names: [String], _ element: String?) {
        self.names += names
        elements[names.first ?? ""] = element
    }

    private mutating func set(records record: UInt8, _ texts: [String?], _ keyword: String? = nil) {
        records[record] = texts.compactMap(\.self)
        if let keyword { self.texts.insert(keyword) }
    }

    private mutating func set(_ place: EXIFDirectories.Place, _ tag: Int, _ text: String?) {
        removed[place, default: []].insert(tag)
        added[place, default: [:]][tag] = text.map { .text($0.replacing("\0", with: " ")) }
    }

    private mutating func set(
        _ time: DateComponents?, _ place: EXIFDirectories.Place, _ tag: Int, fraction: Int, zone: Int
    ) {
        let parts = time.map(MetadataTime.Written.init)
        set(place, tag, parts.map { "\($0.day.joined(separator: ":")) \($0.clock.joined(separator: ":"))" })
        set(.details, fraction, nil)
        set(.details, zone, parts.flatMap { $0.zone.isEmpty ? nil : $0.zone })
    }

    private mutating func set(
        _ time: DateComponents?, _ name: String, _ others: [String], records: (day: UInt8, time: UInt8)?
    ) {
        let parts = time.map(MetadataTime.Written.init)
        let text = parts.map { "\($0.day.joined(separator: "-"))T\($0.clock.joined(separator: ":"))\($0.zone)" }
        set([name] + others, text.map { "<\(name)>\($0)</\(name)>" })
        guard let records else { return }
        set(records: records.day, [parts.map { $0.day.joined() }])
        set(records: records.time, [parts.map { $0.clock.joined() + $0.zone.replacing(":", with: "") }])
    }

    private mutating func setPlace(_ latitude: Double, _ longitude: Double, _ altitude: Double?) {
        /// The parts of degrees: whole degrees, whole minutes and millionths of a second.
        func parts(_ value: Double, most: Double) -> (degrees: Int, minutes: Int, seconds: Int) {
            let all = Int(saturating: (min(abs(value), most) * 3_600e6).rounded())
            return (all / 3_600_000_000, all / 60_000_000 % 60, all % 60_000_000)
        }
        // Version 2.3.
        var fields: [Int: NewValue] = [0: .bytes([2, 3, 0, 0])]
        for (tag, name, value, letters, most) in [
            (1, "exif:GPSLatitude", latitude, ["N", "S"], 90.0),
            (3, "exif:GPSLongitude", longitude, ["E", "W"], 180.0),
        ] {
            let (degrees, minutes, seconds) = parts(value, most: most)
            let letter = letters[value < 0 ? 1 : 0]
            fields[tag] = .text(letter)
            fields[tag + 1] = .fractions([degrees * 1_000_000, minutes * 1_000_000, seconds])
            // Minutes with nine digits behind the point.
            let fraction = String(1_000_000_000 + (seconds * 1_000 + 30) / 60).dropFirst()
            elements[name] = "<\(name)>\(degrees),\(minutes).\(fraction)\(letter)</\(name)>"
        }
        if let altitude {
            let thousandths = Int(saturating: (min(abs(altitude), 4_000_000) * 1_000).rounded())
            fields[5] = .bytes([altitude < 0 ? 1 : 0])
            fields[6] = .fractions([thousandths * 1_000])
            elements["exif:GPSAltitude"] =
                "<exif:GPSAltitude>\(thousandths)/1000</exif:GPSAltitude>"
                + "<exif:GPSAltitudeRef>\(altitude < 0 ? 1 : 0)</exif:GPSAltitudeRef>"
        }
        added[.gps] = fields
    }

    // MARK: Packets

    private var newElements: String { elements.sorted { $0.key < $1.key }.map(\.value).joined() }

    /// Returns an XMP packet with the changes; `nil` if it is damaged.
    func xmp(_ packet: Data) -> Data? {
        let isEmpty = packet.isEmpty || XMPPacket(packet).properties.isEmpty
        if isEmpty, newElements.isEmpty { return packet }
        return XMPEditor(isEmpty ? XMPEditor.empty : packet)?.edited(removing: names, adding: newElements)
    }

    /// Returns IPTC records with the changes; `nil` if they are damaged.
    func iptc(_ block: Data) -> Data? { records.isEmpty ? block : IPTCRecords.edited(block, records) }

    /// Changes EXIF data, or a TIFF file; returns false if they are damaged or become too long.
    func edit(_ directories: inout EXIFDirectories) -> Bool {
        guard directories.remove(removedParts) else { return false }
        return EXIFDirectories.Place.allCases.allSatisfy { place in
            let (removed, added) = (removed[place] ?? [], added[place] ?? [:])
            return removed.isEmpty && added.isEmpty || directories.edit(place, removing: removed, adding: added)
        }
    }

    /// Returns EXIF data with the changes; `nil` if they are damaged.
    func exif(_ data: Data) -> Data? {
        if data.isEmpty, added.values.allSatisfy(\.isEmpty) { return data }
        guard var directories = EXIFDirectories(data.isEmpty ? EXIFDirectories.empty : data), edit(&directories) else {
            return nil
        }
        return Data(directories.bytes)
    }

    /// Returns a file with the changes.
    func apply(to file: Data, _ old: ImageProperties) throws(ImageError) -> Data {
        func changed(
            _ packet: Data?, _ name: String, _ change: (Data) -> Data?
        ) throws(ImageError) -> Data? {
            let before = packet ?? Data()
            guard let after = change(before) else {
                throw MetadataFile.error(.data, "its \(name) cannot be changed: damaged or too long", old.format)
            }
            return after == before ? nil : after
        }
        var packets = MetadataPackets()
        var file = file
        packets.texts = texts
        packets.xmp = try changed(old.xmp, "XMP packet", xmp)
        if let more = old.extendedXMP {
            packets.extendedXMP = try changed(more, "XMP packet") { XMPEditor($0)?.edited(removing: names) }
            // The packet names the digest of the other part.
            if packets.extendedXMP != nil { packets.xmp = packets.xmp ?? old.xmp }
            if packets.xmp != nil { packets.extendedXMP = packets.extendedXMP ?? more }
        }
        if old.iptc != nil { packets.iptc = try changed(old.iptc, "IPTC block", iptc) }
        if old.format == .tiff {
            guard var directories = EXIFDirectories(file), edit(&directories) else {
                throw MetadataFile.error(.unsupported, "its directories cannot be changed; BigTIFF is not", .tiff)
            }
            file = Data(directories.bytes)
        } else {
            packets.exif = try changed(old.exif, "EXIF data", exif)
        }
        return try MetadataFile.replacing(packets, in: file, of: old.format)
    }

    /// Returns whether the metadata of a changed file have the fields that were set, and none that was removed.
    func isVisible(in metadata: ImageMetadata) -> Bool {
        let names = [
            "dc:title": "Title", "dc:description": "Description", "dc:subject": "Keywords", "xmp:Rating": "Rating",
            "dc:creator": "Creator", "dc:rights": "Copyright", "photoshop:DateCreated": "DateTimeOriginal",
            "xmp:CreateDate": "CreateDate", "xmp:ModifyDate": "ModifyDate",
        ]
        let place = removedParts.contains(.gps) ? ["exif:GPSLatitude": "GPSLatitude", "photoshop:City": "City"] : [:]
        return names.filter { self.names.contains($0.key) }.merging(place) { $1 }.allSatisfy { property, name in
            (metadata.values[name] != nil) == (elements[property] != nil)
        }
    }
}

extension MetadataTime {
    /// The parts of a time as texts of fixed lengths.
    struct Written {
        let day: [String]
        let clock: [String]
        /// As `+01:00`; empty without a zone.
        let zone: String

        init(_ time: DateComponents) {
            func text(_ number: Int?, _ length: Int, in range: ClosedRange<Int>) -> String {
                let number = min(max(number ?? range.lowerBound, range.lowerBound), range.upperBound)
                let digits = "\(number)"
                return String(repeating: "0", count: max(0, length - digits.count)) + digits
            }
            day = [text(time.year, 4, in: 1...9999), text(time.month, 2, in: 1...12), text(time.day, 2, in: 1...31)]
            clock = [time.hour, time.minute, time.second].enumerated().map { index, number in
                text(number, 2, in: 0...(index == 0 ? 23 : 59))
            }
            guard let seconds = time.timeZone?.secondsFromGMT() else {
                zone = ""
                return
            }
            let minutes = abs(seconds) / 60
            zone = "\(seconds < 0 ? "-" : "+")\(text(minutes / 60, 2, in: 0...15)):\(text(minutes % 60, 2, in: 0...59))"
        }
    }
}
