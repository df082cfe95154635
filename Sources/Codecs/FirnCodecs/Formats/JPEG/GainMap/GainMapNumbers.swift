import FirnSync
import FoundationEssentials

/// The numbers of a ``/FirnImage/GainMap``, without its pixels, as files store them.
///
/// - Source: ISO 21496-1:2025 annex C.2 (binary form); Ultra HDR Image Format 1.1, "Gain map metadata" (XMP).
struct GainMapNumbers {
    var minimum = SIMD3<Double>.zero
    var maximum: SIMD3<Double>
    var gamma = SIMD3<Double>.one
    var baseOffset = GainMap.usualOffset
    var alternateOffset = GainMap.usualOffset
    var baseHeadroom = 0.0
    var alternateHeadroom: Double

    init(_ map: GainMap) {
        (minimum, maximum, gamma) = (map.minimum, map.maximum, map.gamma)
        (baseOffset, alternateOffset) = (map.baseOffset, map.alternateOffset)
        (baseHeadroom, alternateHeadroom) = (map.baseHeadroom, map.alternateHeadroom)
    }

    /// Returns the gain map of these numbers; `nil` if one is out of its range.
    func map(_ image: Bitmap) -> GainMap? {
        GainMap(
            image: image, minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
            alternateOffset: alternateOffset, baseHeadroom: baseHeadroom, alternateHeadroom: alternateHeadroom)
    }

    private var isBaseHDR: Bool { baseHeadroom > alternateHeadroom }

    private var isGray: Bool {
        [minimum, maximum, gamma, baseOffset, alternateOffset].allSatisfy { $0 == SIMD3(repeating: $0.x) }
    }

    // MARK: ISO 21496-1

    /// The name of the APP2 segments.
    static let segmentName = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
    /// The content of the base's segment: the versions.
    static let versions: [UInt8] = [0, 0, 0, 0]

    private static let isColor = 0x80
    private static let usesBaseColors = 0x40
    private static let hasCommonDenominator = 0x08
    /// The denominator of written numbers. A logarithm of 64 fits into 31 bits.
    private static let denominator = 1_000_000

    /// Reads the content of a segment behind its name; `nil` if it is cut short, or a later version is needed.
    init?(iso content: Data) {
        var fields = ISOFields([UInt8](content), DecodingWatch())
        guard fields.number(2) == 0, fields.pass(2) != nil, let flags = fields.number(1) else { return nil }
        let common = flags & Self.hasCommonDenominator == 0 ? nil : fields.number(4)
        func fraction(isSigned: Bool) -> Double? {
            guard let above = isSigned ? fields.signed(4) : fields.number(4), let below = common ?? fields.number(4),
                below > 0
            else { return nil }
            return Double(above) / Double(below)
        }
        guard let base = fraction(isSigned: false), let alternate = fraction(isSigned: false) else { return nil }
        (baseHeadroom, alternateHeadroom) = (base, alternate)
        maximum = .zero
        for channel in 0..<(flags & Self.isColor == 0 ? 1 : 3) {
            guard let least = fraction(isSigned: true), let most = fraction(isSigned: true),
                let exponent = fraction(isSigned: false), let first = fraction(isSigned: true),
                let second = fraction(isSigned: true)
            else { return nil }
            // A single channel stands for all.
            for index in channel..<3 {
                (minimum[index], maximum[index], gamma[index]) = (least, most, exponent)
                (baseOffset[index], alternateOffset[index]) = (first, second)
            }
        }
    }

    /// The content of the map's segment behind its name.
    var iso: [UInt8] {
        func fraction(_ number: Double) -> [UInt8] {
            Int(saturating: (number * Double(Self.denominator)).rounded()).bigEndianBytes(4)
        }
        let flags = Self.usesBaseColors | Self.hasCommonDenominator | (isGray ? 0 : Self.isColor)
        var bytes = Self.versions + flags.bigEndianBytes(1) + Self.denominator.bigEndianBytes(4)
        bytes += fraction(baseHeadroom) + fraction(alternateHeadroom)
        for channel in 0..<(isGray ? 1 : 3) {
            for numbers in [minimum, maximum, gamma, baseOffset, alternateOffset] {
                bytes += fraction(numbers[channel])
            }
        }
        return bytes
    }

    // MARK: XMP

    /// The namespaces of Ultra HDR.
    static let namespaces = [
        "x": "adobe:ns:meta/", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/", "Container": "http://ns.google.com/photos/1.0/container/",
        "Item": "http://ns.google.com/photos/1.0/container/item/",
    ]

    /// Reads the XMP packet of a map; `nil` if it lacks a number without a default.
    init?(xmp: Data) {
        let packet = XMPTexts(xmp)
        func numbers(_ name: String, _ usual: Double? = nil) -> SIMD3<Double>? {
            let texts = packet.texts("hdrgm:" + name)
            let numbers = texts.compactMap { Double($0) }
            if texts.isEmpty { return usual.map { SIMD3(repeating: $0) } }
            guard numbers.count == texts.count, let first = numbers.first else { return nil }
            return numbers.count == 1 ? SIMD3(repeating: first) : numbers.count == 3 ? SIMD3(numbers) : nil
        }
        guard let minimum = numbers("GainMapMin", 0), let maximum = numbers("GainMapMax"),
            let gamma = numbers("Gamma", 1), let sdr = numbers("OffsetSDR", 1.0 / 64),
            let hdr = numbers("OffsetHDR", 1.0 / 64), let least = numbers("HDRCapacityMin", 0),
            let most = numbers("HDRCapacityMax")
        else { return nil }
        (self.minimum, self.maximum, self.gamma) = (minimum, maximum, gamma)
        let isBaseHDR = packet.text("hdrgm:BaseRenditionIsHDR")?.lowercased() == "true"
        (baseOffset, alternateOffset) = isBaseHDR ? (hdr, sdr) : (sdr, hdr)
        (baseHeadroom, alternateHeadroom) = isBaseHDR ? (most.x, least.x) : (least.x, most.x)
    }

    /// The XMP packet of the map.
    var xmp: String {
        let offsets = isBaseHDR ? (alternateOffset, baseOffset) : (baseOffset, alternateOffset)
        let properties = [
            ("GainMapMin", minimum), ("GainMapMax", maximum), ("Gamma", gamma), ("OffsetSDR", offsets.0),
            ("OffsetHDR", offsets.1),
        ]
        let headrooms = [baseHeadroom, alternateHeadroom].sorted()
        var attributes = #" hdrgm:BaseRenditionIsHDR="\#(isBaseHDR ? "True" : "False")""#
        attributes += #" hdrgm:HDRCapacityMin="\#(headrooms[0])" hdrgm:HDRCapacityMax="\#(headrooms[1])""#
        var elements = ""
        for (name, numbers) in properties {
            if isGray {
                attributes += #" hdrgm:\#(name)="\#(numbers.x)""#
            } else {
                let items = (0..<3).map { "<rdf:li>\(numbers[$0])</rdf:li>" }.joined()
                elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        return Self.packet(attributes, elements)
    }

    /// Returns the XMP packet of the base, which lists both images.
    ///
    /// - Parameter length: the bytes of the map's file.
    static func basePacket(mapLength length: Int) -> String {
        func item(_ semantic: String, _ length: String) -> String {
            #"<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="\#(semantic)" Item:Mime="image/jpeg""#
                + length + "/></rdf:li>"
        }
        let items = item("Primary", "") + item("GainMap", #" Item:Length="\#(length)""#)
        return packet("", "<Container:Directory><rdf:Seq>\(items)</rdf:Seq></Container:Directory>")
    }

    private static func packet(_ attributes: String, _ elements: String) -> String {
        let names = ["rdf", "hdrgm", "Container", "Item"].map { #" xmlns:\#($0)="\#(namespaces[$0] ?? "")""# }.joined()
        return #"<x:xmpmeta xmlns:x="\#(namespaces["x"] ?? "")"><rdf:RDF\#(names)>"#
            + #"<rdf:Description rdf:about="" hdrgm:Version="1.0"\#(attributes)>\#(elements)</rdf:Description>"#
            + "</rdf:RDF></x:xmpmeta>"
    }

    /// Returns whether an XMP packet declares namespaces that no gain map needs, and so has other properties.
    static func hasOthers(_ packet: Data?) -> Bool {
        guard let packet else { return false }
        let bytes = XMPTexts.examined(packet)
        var start = bytes.startIndex
        while let place = bytes[start...].firstPlace(of: "xmlns:") {
            start = place.upperBound
            let prefix = bytes[start...].prefix(16).prefix { $0 != UInt8(ascii: "=") }
            if namespaces[String(decoding: prefix, as: UTF8.self)] == nil { return true }
        }
        return false
    }
}
