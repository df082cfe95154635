import FirnSync
import FirnSystem
import FoundationEssentials

/// Finds gain maps, and describes them.
///
/// - Source: Ultra HDR Image Format 1.1 (XMP); ISO 21496-1:2025 §5.2, annex C (JPEG, HEIF); ISO/IEC 18181-2 (JPEG XL,
///   `jhgm`); Apple's "Applying Apple HDR effect to your photos" for its auxiliary images.
extension GainMap {
    /// The names of a gain map's properties in XMP packets: of Ultra HDR, of its list of images, and of Apple.
    private static let names = ["hdrgm:Version", "\"GainMap\"", "HDRGainMap"]

    /// Returns the gain map that an XMP packet states; `nil` if it states none.
    static func stated(in packet: Data) -> ImageGainMap? {
        // Order: the search first, because it is much faster than parsing.
        let bytes = XMPPacket.examined(packet)
        guard let name = names.first(where: { bytes.firstPlace(of: $0) != nil }) else { return nil }
        let properties = XMPPacket(packet)
        guard name == "HDRGainMap" else {
            let headroom = properties.text("hdrgm:HDRCapacityMax").flatMap { Double($0) }
            return ImageGainMap(kind: "ultraHDR", headroom: headroom)
        }
        return ImageGainMap(kind: "apple", headroom: appleHeadroom(xmp: packet, exif: nil))
    }

    /// Returns the gain map that an APP2 segment of a JPEG states; `nil` for any other segment.
    static func inSegment(_ content: Data) -> ImageGainMap? {
        guard content.starts(with: Metadata.segmentName) else { return nil }
        return map(ISOFields([UInt8](content.dropFirst(Metadata.segmentName.count)), DecodingWatch()))
    }

    /// Reads the metadata of ISO 21496-1, of which a base image has only the versions.
    private static func map(_ fields: ISOFields) -> ImageGainMap {
        var (fields, map) = (fields, ImageGainMap(kind: "iso"))
        guard fields.pass(4) != nil, let flags = fields.number(1) else { return map }
        let common = flags & 8 == 0 ? nil : fields.number(4)
        func fraction() -> Double? {
            guard let above = fields.number(4), let below = common ?? fields.number(4), below > 0 else { return nil }
            return Double(above) / Double(below)
        }
        if let base = fraction(), let other = fraction() { map.headroom = max(base, other) }
        return map
    }

    /// Returns the gain map in the boxes of an AVIF, HEIF or JPEG XL file that have arrived; `nil` if there is none.
    ///
    /// - Parameter exif: the EXIF data of the file, which may state the headroom.
    static func map(boxesOf chain: ByteChain, exif: Data? = nil) -> ImageGainMap? {
        if let bundle = JXLGainMap(chain) { return map(ISOFields(bundle.metadata, chain.watch)) }
        guard let items = HEIFItems(chain) else { return nil }
        if let tone = items.toneMapping {
            var map = ImageGainMap(kind: "iso")
            if let content = tone.content { map = self.map(ISOFields(Array(content.dropFirst()), chain.watch)) }
            if let item = tone.map { describe(&map, item, items) }
            return map
        }
        guard let (isApple, item) = items.auxiliaryMap else { return nil }
        var map = ImageGainMap(kind: isApple ? "apple" : "iso")
        if isApple { map.headroom = appleHeadroom(xmp: nil, exif: exif) }
        if let item { describe(&map, item, items) }
        return map
    }

    private static func describe(_ map: inout ImageGainMap, _ item: Int, _ items: HEIFItems) {
        guard let properties = items.properties(of: item) else { return }
        map.size = items.size(properties)?.size
        map.channels = properties.first("pixi").flatMap { items.chain.big($0.content.lowerBound + 4, 1) }
    }

    /// The formats that store gain maps.
    package static let formats: Set<ImageFormat> = [.jpeg, .avif, .jxl]
    /// The least quality of an encoded map, whose errors are multiplied.
    static let leastQuality = 0.9

    /// Returns the file of the map, with at most as many columns and rows as its base: more would show nothing.
    func encoded(
        by encoder: some ImageEncoding, for base: PixelSize, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let size = PixelSize(width: min(image.size.width, base.width), height: min(image.size.height, base.height))
        return try encoder.encode(image.resized(to: size, cancellation: cancellation), cancellation: cancellation)
    }

    // MARK: Apple

    /// Creates a map of Apple, whose light is `base * (1 + (headroom - 1) * map)`. The map's values, encoded with the
    /// curve of BT.709, are replaced by logarithms.
    ///
    /// - Parameter headroom: a logarithm.
    /// - Source: Apple, "Applying Apple HDR effect to your photos"; ITU-R BT.709-6 §1.2.
    init?(apple map: Bitmap, headroom: Double) {
        var metadata = Metadata(maximum: SIMD3(repeating: headroom), alternateHeadroom: headroom)
        (metadata.baseOffset, metadata.alternateOffset) = (.zero, .zero)
        let values = (0..<256).map { value -> UInt8 in
            let encoded = Double(value) / 255
            let light = encoded < 0.081 ? encoded / 4.5 : pow((encoded + 0.099) / 1.099, 1 / 0.45)
            let gain = log2(1 + (exp2(headroom) - 1) * light) / headroom
            return headroom > 0 ? UInt8(saturating: (gain * 255).rounded()) : 0
        }
        let image = try? Bitmap(size: map.size, format: .rgb8, isOpaque: true) { target in
            map.withUnsafeBytes { source in
                for y in 0..<map.size.height {
                    let row = target.row(y)
                    // Safety: rows of both images have three bytes for each pixel.
                    for x in 0..<3 * map.size.width {
                        row.storeBytes(
                            of: values[Int(source[y * map.bytesPerRow + x])], toByteOffset: x, as: UInt8.self)
                    }
                }
            }
        }
        guard let image else { return nil }
        self.init(image: image, metadata: metadata)
    }

    /// Returns the headroom of a map of Apple as a logarithm, at least 0; `nil` if no metadata state one.
    ///
    /// - Parameters:
    ///   - xmp: the packet of the map.
    ///   - exif: the data of the base, whose maker notes are a directory behind a name.
    /// - Source: Apple, "Applying Apple HDR effect to your photos".
    static func appleHeadroom(xmp: Data?, exif: Data?) -> Double? {
        let factor = xmp.flatMap { XMPPacket($0).text("HDRGainMap:HDRGainMapHeadroom") }.flatMap { Double($0) }
        if let factor, factor > 0, factor.isFinite { return max(0, log2(factor)) }
        guard let directories = exif.flatMap({ EXIFDirectories($0) }),
            let details = directories.value(0x8769, in: directories.first),
            let place = directories.values(0x927C, in: details)?.range
        else { return nil }
        let bytes = directories.bytes[place]
        guard bytes.starts(with: Array("Apple iOS\0".utf8)) else { return nil }
        // The offsets in the directory behind 14 bytes count from the name.
        let order = bytes.dropFirst(12).prefix(2)
        let isBig = order.elementsEqual("MM".utf8)
        let head: [UInt8] = isBig ? [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 14] : [0x49, 0x49, 0x2A, 0, 14, 0, 0, 0]
        guard isBig || order.elementsEqual("II".utf8), let notes = EXIFDirectories(Data(head + bytes.dropFirst(8))),
            let first = notes.numbers(33, in: notes.first).first
        else { return nil }
        // Many images have the first number alone.
        let second = notes.numbers(48, in: notes.first).first ?? 0
        let stops =
            switch (first < 1, second <= 0.01) {
            case (true, true): 1.8 - 20 * second
            case (true, false): 1.601 - 0.101 * second
            case (false, true): 3 - 70 * second
            case (false, false): 2.303 - 0.303 * second
            }
        return stops.isFinite ? max(0, stops) : nil
    }
}

extension ImageLight {
    /// Sets what the properties of a HEIF or AVIF file's primary image state.
    mutating func take(boxesOf chain: ByteChain) {
        guard let items = HEIFItems(chain), let primary = items.primary else { return }
        for box in items.properties(of: primary) ?? [] where box.content.count <= 32 {
            if let fields = box.fields(of: chain) { take(box.type, fields) }
        }
    }

    /// Sets what a property of an image in HEIF or AVIF, or a chunk of a PNG, states.
    ///
    /// - Source: ISO/IEC 14496-12 §12.1.5 to §12.1.7; PNG (third edition) §11.3.2.7 and §11.3.2.8.
    mutating func take(_ type: FourCharacterCode, _ fields: ISOFields) {
        var fields = fields
        switch type {
        case "colr":
            // "nclc" is QuickTime's type; it states no range, which is then limited.
            guard let type = fields.code(), type == "nclx" || type == "nclc", let first = fields.number(2),
                let second = fields.number(2), let third = fields.number(2),
                let range = type == "nclx" ? fields.number(1) : 0
            else { return }
            // 2 stands for an unknown value.
            func known(_ code: Int) -> Int? { code == 2 ? nil : code }
            (primaries, transfer, matrix) = (known(first), known(second), known(third))
            isFullRange = range & 0x80 != 0
        case "clli", "cLLI":
            // PNG counts in steps of 0.0001, other formats in whole numbers.
            let (size, unit) = type == "clli" ? (2, 1.0) : (4, 0.0001)
            guard let most = fields.number(size), let average = fields.number(size) else { return }
            // 0 stands for an unknown value.
            maximumContentLight = most > 0 ? Double(most) * unit : nil
            maximumAverageLight = average > 0 ? Double(average) * unit : nil
        case "mdcv", "mDCV":
            // PNG has the order red, green, blue; other formats green, blue, red. White follows.
            var points: [ColorDescription.Chromaticity] = []
            for _ in 0..<4 {
                guard let x = fields.number(2), let y = fields.number(2) else { return }
                points.append([Double(x) / 50_000, Double(y) / 50_000])
            }
            let order = type == "mDCV" ? [0, 1, 2] : [2, 0, 1]
            guard let most = fields.number(4), let least = fields.number(4) else { return }
            masteringPrimaries = ColorDescription.Primaries(
                white: points[3], red: points[order[0]], green: points[order[1]], blue: points[order[2]])
            (masteringPeak, masteringBlack) = (Double(most) / 10_000, Double(least) / 10_000)
        default: return
        }
    }
}

/// The gain map of a file: the first image of a file of the same format.
struct StoredGainMap {
    /// The file of the map.
    let file: ByteChain
    /// The numbers; `nil` for a map of Apple, whose headroom is in the metadata of both images.
    let metadata: GainMap.Metadata?
    /// True if the map is stored in the orientation of the base, otherwise in one of its own.
    var isOrientedLikeBase = false
}

// MARK: AVIF and HEIF

extension HEIFItems {
    /// The derived image of an image and its gain map: its content, and both images. `nil` if there is none.
    ///
    /// - Source: ISO 21496-1:2025 annex C.4.
    var toneMapping: (content: [UInt8]?, base: Int?, map: Int?)? {
        guard let item = first(ofType: "tmap") else { return nil }
        let parts = parts(of: item)?.items ?? []
        let bytes = location(of: item).flatMap { chain.bytes(at: $0.lowerBound, count: min($0.count, 1_024)) }
        return (bytes.map { [UInt8]($0) }, parts.first, parts.count == 2 ? parts.last : nil)
    }

    /// The first auxiliary image with a type of gain maps, whose item may be missing; `nil` if there is none.
    var auxiliaryMap: (isApple: Bool, item: Int?)? {
        for (index, property) in properties.enumerated() where property.type == "auxC" {
            guard property.content.count < 256,
                let bytes = chain.bytes(property.content)
            else { continue }
            let isApple = Array(bytes)[...].firstPlace(of: "aux:hdrgainmap") != nil
            guard isApple || Array(bytes)[...].firstPlace(of: "iso:ts:21496:-1") != nil else { continue }
            return (isApple, item(withProperty: index))
        }
        return nil
    }

    /// The gain map of the primary image, as a file with the map as its primary image: derived images, such as grids,
    /// and the items that they need stay where they are. `nil` if there is none with valid metadata.
    var gainMap: StoredGainMap? {
        // Version 0 of the item.
        if let (content, base, map) = toneMapping, base == primary, let map, let content, content.first == 0,
            let metadata = GainMap.Metadata(iso: Data(content.dropFirst()))
        {
            return file(withPrimary: map).map { StoredGainMap(file: $0, metadata: metadata) }
        }
        guard let (isApple, item) = auxiliaryMap, isApple, let item else { return nil }
        return file(withPrimary: item).map { StoredGainMap(file: $0, metadata: nil) }
    }
}

// MARK: JPEG XL

/// The bundle of a gain map in a JPEG XL file: the numbers of ISO 21496-1, colors of the other rendition, which are not
/// used, and a codestream.
///
/// - Source: ISO/IEC 18181-2 (`jhgm`); libjxl's `gain_map.h` for the order of the fields.
struct JXLGainMap {
    let metadata: [UInt8]
    /// The place of the codestream.
    private let stream: Range<Int>

    /// Reads the box; `nil` if there is none. A cut one has the numbers as far as they have arrived.
    init?(_ chain: ByteChain) {
        guard let box = ISOBox.boxes(in: 0..<chain.count, of: chain).first("jhgm"),
            chain.byte(at: box.content.lowerBound) == 0
        else { return nil }
        // Version, length of the numbers, numbers, length of the colors, colors, length of the profile, profile.
        var place = box.content.lowerBound + 1
        func pass(_ size: Int) -> Int {
            let count = min(chain.big(place, size) ?? 0, max(0, box.content.upperBound - place - size))
            place = min(place + size + count, box.content.upperBound)
            return count
        }
        let count = pass(2)
        metadata = [UInt8](chain.bytes(at: place - count, count: count) ?? Data())
        for size in [1, 4] { _ = pass(size) }
        stream = place..<max(place, box.content.upperBound)
    }

    /// The gain map; `nil` if its numbers are invalid.
    func stored(in chain: ByteChain) -> StoredGainMap? {
        guard let metadata = GainMap.Metadata(iso: Data(metadata)) else { return nil }
        return StoredGainMap(file: chain.part(stream), metadata: metadata)
    }

    /// Returns a file with a gain map behind its other boxes. A bare codestream gets a container.
    ///
    /// - Parameter map: the file of the map, a bare codestream.
    static func file(_ base: Data, map: Data, _ metadata: GainMap.Metadata) -> Data {
        let bundle = [0] + metadata.iso.count.bigEndianBytes(2) + metadata.iso + [UInt8](repeating: 0, count: 5)
        let box = ISOBox.box("jhgm", bundle + map)
        guard base.starts(with: [0xFF, 0x0A]) else { return base + box }
        return containerStart + ISOBox.box("jxlc", base) + box
    }

    /// The first boxes of a file with boxes.
    static let containerStart =
        ISOBox.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + ISOBox.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
}

/// Joins the files of an image and of its gain map to one.
///
/// The map becomes a hidden item, and a further item (`tmap`) derives the other rendition from both. Readers that do
/// not know the type show the image alone. libavif itself writes gain maps from version 1.2 on, which is not needed.
///
/// - Source: ISO 21496-1:2025 annex C.4; ISO/IEC 23008-12 §6.6.2 (derived images), §9.3 (ipma); ISO/IEC 14496-12
///   §8.11.
enum AVIFGainMap {
    /// Returns the file; `nil` if one of the two has a structure that cannot be changed.
    static func file(_ base: Data, map: Data, _ metadata: GainMap.Metadata) -> Data? {
        let second = ByteChain(whole: map)
        guard var editor = HEIFEditor(base), let other = HEIFItems(second), let primary = editor.items.primary,
            let mapItem = other.primary, let properties = editor.items.properties(of: primary),
            let ofMap = other.properties(of: mapItem), let size = properties.first("ispe"),
            let place = editor.items.properties.firstIndex(where: { $0.content == size.content }),
            let coded = other.location(of: mapItem), let codedBytes = second.bytes(coded),
            editor.items.boxes.first("grpl") == nil, let number = editor.add("av01", codedBytes, isHidden: true),
            let tone = editor.add("tmap", Data([0] + metadata.iso)),
            editor.refer("dimg", from: tone, to: [primary, number])
        else { return nil }
        // The colors of the rendition: the primaries of the image with the curve of PQ, because it exceeds white.
        var colors: [UInt8] = FourCharacterCode("nclx").bytes + [0, 2, 0, 16, 0, 0, 0x80]
        let chain = editor.items.chain
        let stated = properties.first { $0.type == "colr" && chain.code(at: $0.content.lowerBound) == "nclx" }
        if let stated = stated.flatMap({ chain.bytes($0.content) }), stated.count == colors.count {
            colors = stated.prefix(6) + [0, 16] + stated.dropFirst(8)
        }
        // The configuration of the codec is essential.
        let own = ofMap.compactMap { box in
            second.bytes(box.content).map { (ISOBox.box(box.type, $0), box.type == "av1C") }
        }
        guard own.count == ofMap.count else { return nil }
        editor.describe(number, with: [], own)
        editor.describe(tone, with: [place], [(ISOBox.box("colr", colors), false)])
        // The renditions are alternatives; the number of their group is behind those of the items.
        let numbers = [0, tone + 1, 2, tone, primary].flatMap { $0.bigEndianBytes(4) }
        editor.further = ISOBox.box("grpl", ISOBox.box("altr", numbers))
        editor.brands = ["tmap"]
        return editor.result()
    }
}
