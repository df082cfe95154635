import FirnSync
import FoundationEssentials

/// The numbers as files store them.
///
/// - Source: ISO 21496-1:2025 annex C.2 (binary form); Ultra HDR Image Format 1.1, "Gain map metadata" (XMP).
extension GainMap.Metadata {
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
        func fraction(isSigned: Bool = false) -> Double? {
            guard let above = isSigned ? fields.signed(4) : fields.number(4), let below = common ?? fields.number(4),
                below > 0
            else { return nil }
            return Double(above) / Double(below)
        }
        guard let base = fraction(), let alternate = fraction() else { return nil }
        self.init(maximum: .zero, alternateHeadroom: alternate)
        baseHeadroom = base
        for channel in 0..<(flags & Self.isColor == 0 ? 1 : 3) {
            guard let least = fraction(isSigned: true), let most = fraction(isSigned: true), let exponent = fraction(),
                let first = fraction(isSigned: true), let second = fraction(isSigned: true)
            else { return nil }
            // A single channel stands for all.
            for index in channel..<3 {
                (minimum[index], maximum[index], gamma[index]) = (least, most, exponent)
                (baseOffset[index], alternateOffset[index]) = (first, second)
            }
        }
    }

    /// The content of the map's segment behind its name. libavif reads no common denominator.
    var iso: [UInt8] {
        func fraction(_ number: Double) -> [UInt8] {
            Int(saturating: (number * Double(Self.denominator)).rounded()).bigEndianBytes(4)
                + Self.denominator.bigEndianBytes(4)
        }
        let flags = Self.usesBaseColors | (isGray ? 0 : Self.isColor)
        var bytes = Self.versions + flags.bigEndianBytes(1) + fraction(baseHeadroom) + fraction(alternateHeadroom)
        for channel in 0..<(isGray ? 1 : 3) {
            bytes += [minimum, maximum, gamma, baseOffset, alternateOffset].flatMap { fraction($0[channel]) }
        }
        return bytes
    }

    // MARK: XMP

    private static let namespaces: Set = ["x", "rdf", "hdrgm", "Container", "Item"]

    /// Reads the XMP packet of a map; `nil` if it lacks a number without a default.
    init?(xmp: Data) {
        let packet = XMPPacket(xmp)
        func numbers(_ name: String, _ usual: SIMD3<Double>? = nil) -> SIMD3<Double>? {
            let texts = packet.properties["hdrgm:" + name]?.texts ?? []
            let numbers = texts.compactMap { Double($0) }
            if texts.isEmpty { return usual }
            guard numbers.count == texts.count, let first = numbers.first else { return nil }
            return numbers.count == 1 ? SIMD3(repeating: first) : numbers.count == 3 ? SIMD3(numbers) : nil
        }
        guard let most = numbers("GainMapMax"), let highest = numbers("HDRCapacityMax") else { return nil }
        self.init(maximum: most, alternateHeadroom: highest.x)
        guard let least = numbers("GainMapMin", minimum), let exponent = numbers("Gamma", gamma),
            let sdr = numbers("OffsetSDR", baseOffset), let hdr = numbers("OffsetHDR", alternateOffset),
            let lowest = numbers("HDRCapacityMin", .zero)
        else { return nil }
        (minimum, gamma, baseOffset, alternateOffset, baseHeadroom) = (least, exponent, sdr, hdr, lowest.x)
        if packet.text("hdrgm:BaseRenditionIsHDR")?.lowercased() == "true" {
            swap(&baseOffset, &alternateOffset)
            swap(&baseHeadroom, &alternateHeadroom)
        }
    }

    /// The XMP packet of the map.
    var xmp: String {
        let (sdr, hdr) = isBaseHDR ? (alternateOffset, baseOffset) : (baseOffset, alternateOffset)
        var attributes = #" hdrgm:BaseRenditionIsHDR="\#(isBaseHDR ? "True" : "False")""#
        attributes += #" hdrgm:HDRCapacityMin="\#(min(baseHeadroom, alternateHeadroom))""#
        attributes += #" hdrgm:HDRCapacityMax="\#(max(baseHeadroom, alternateHeadroom))""#
        var elements = ""
        for (name, numbers) in [
            ("GainMapMin", minimum), ("GainMapMax", maximum), ("Gamma", gamma), ("OffsetSDR", sdr), ("OffsetHDR", hdr),
        ] {
            if numbers == SIMD3(repeating: numbers.x) {
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
        let items = [#""Primary""#, #""GainMap" Item:Length="\#(length)""#].map {
            #"<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" Item:Semantic=\#($0)/></rdf:li>"#
        }
        return packet("", "<Container:Directory><rdf:Seq>\(items.joined())</rdf:Seq></Container:Directory>")
    }

    private static func packet(_ attributes: String, _ elements: String) -> String {
        let names = XMPNamespace.declarations(where: namespaces.contains)
        return #"<x:xmpmeta\#(names)><rdf:RDF><rdf:Description rdf:about="" hdrgm:Version="1.0"\#(attributes)>"#
            + "\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"
    }

    /// Returns whether an XMP packet states more than a gain map: it declares other namespaces, or none at all.
    static func hasOthers(_ packet: Data?) -> Bool {
        guard let packet else { return false }
        var rest = XMPPacket.examined(packet)
        var isOfGainMap = false
        while let place = rest.firstPlace(of: "xmlns:") {
            rest = rest[place.upperBound...]
            let prefix = rest.prefix(16).prefix { $0 != UInt8(ascii: "=") }
            guard namespaces.contains(String(decoding: prefix, as: UTF8.self)) else { return true }
            isOfGainMap = true
        }
        return !isOfGainMap
    }
}
