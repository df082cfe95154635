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
