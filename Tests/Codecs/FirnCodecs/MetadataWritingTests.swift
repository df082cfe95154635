import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that metadata are changed without touching pixels, and what new files keep of them.
@Suite struct MetadataWritingTests {
    private static let size = PixelSize(width: 24, height: 16)

    private static func image() throws -> Bitmap {
        try Bitmap.painted(size, .rgb8) { x, y in SIMD4(UInt8(x * 9), UInt8(y * 15), 90, 255) }
    }

    private static let packet = Data(
        (#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#
            + #"<r:Description r:about="" xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:own="urn:own""#
            + #" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:City="Hamburg" own:kept="A &amp; B">"#
            + "<d:title><r:Alt><r:li xml:lang='x-default'>Old</r:li></r:Alt></d:title><!-- > --></r:Description>"
            + "</r:RDF></x:xmpmeta>").utf8)
    private static let records = Data([0x1C, 2, 5, 0, 3] + Array("Old".utf8) + [0x1C, 2, 90, 0, 1, 65])

    private static let all = EncodingMetadata(
        exif: HandmadeEXIF(orientation: 1).data, xmp: packet, iptc: records,
        resolution: ImageResolution(horizontal: 300, vertical: 300))

    /// Files of all formats that are changed, with metadata and without.
    private static func files() throws -> [Data] {
        try ImageEncoders.formats.filter { MetadataFile.formats.contains($0) }.flatMap { format in
            try [all, EncodingMetadata()].map { metadata in
                try #require(ImageEncoders.encoder(for: format)).encode(
                    image(), metadata: metadata, cancellation: CancellationFlag())
            }
        } + (ConversionLossTests.isRead(.heic) ? [ModernSamples.twoHEIC] : [])
    }

    private static let edits: [ImageMetadata.Edit] = [
        .title("Häfen & <Schiffe>"), .description("Two\nlines"), .keywords(["sea", "ship"]), .rating(4),
        .creators(["Ada", "Bob"]), .copyright("(c) Ada"),
        .taken(DateComponents(timeZone: TimeZone(secondsFromGMT: -9_000), year: 2026, month: 11, day: 21, hour: 7)),
        .place(latitude: -12.345_678, longitude: 179.5, altitude: -3.25),
    ]

    @Test func `fields are set in each format, and pixels stay`() throws {
        for file in try Self.files() {
            let before = try EncodedImage(file)
            let format = before.properties.format
            let new = try ImageMetadata.apply(Self.edits, toFile: file)
            let after = try EncodedImage(new)
            #expect(try after.frame(as: .rgba8Straight).packedBytes == before.frame(as: .rgba8Straight).packedBytes)
            let metadata = after.properties.metadata
            #expect(metadata.title == "Häfen & <Schiffe>" && metadata.imageDescription == "Two lines", "\(format)")
            #expect(metadata.keywords == ["sea", "ship"] && metadata.rating == 4, "\(format)")
            #expect(metadata.creators == ["Ada", "Bob"] && metadata.copyright == "(c) Ada", "\(format)")
            #expect(metadata["DateTimeOriginal"] == "2026:11:21 07:00:00-02:30", "\(format)")
            #expect(abs(try #require(metadata.latitude) + 12.345_678) < 1e-8 && metadata.longitude == 179.5)
            #expect(metadata.altitude == -3.25 && metadata["City"] == nil, "\(format)")
            #expect(try ImageMetadata.apply(Self.edits, toFile: new).count <= new.count + 2_000, "\(format)")
        }
    }

    @Test func `removed fields are in no byte of the file`() throws {
        for file in try Self.files() {
            let full = try ImageMetadata.apply(Self.edits + [.title("SECRET"), .copyright("SECRET")], toFile: file)
            #expect(full.firstRange(of: Data("SECRET".utf8)) != nil)
            for removal in [[ImageMetadata.Edit.title(nil), .copyright(nil), .removePlace], []] {
                let new = try ImageMetadata.apply(removal, toFile: full, strips: removal.isEmpty)
                #expect(new.firstRange(of: Data("SECRET".utf8)) == nil)
                let metadata = try EncodedImage(new).properties.metadata
                #expect(metadata.title == nil && metadata.latitude == nil && metadata.copyright == nil)
                #expect(metadata.keywords.isEmpty == removal.isEmpty)
            }
        }
    }

    @Test func `XMP keeps all other properties and comments`() throws {
        let change = MetadataChange([.title("New"), .removePlace])
        let text = String(decoding: try #require(change.xmp(Self.packet)), as: UTF8.self)
        #expect(text.contains(#"own:kept="A &amp; B""#) && text.contains("<!-- > -->"))
        #expect(!text.contains("Old") && !text.contains("Hamburg"))
        #expect(XMPPacket(Data(text.utf8)).text("dc:title") == "New")
        for length in 0..<Self.packet.count { _ = XMPEditor(Self.packet.prefix(length)) }
    }

    @Test func `a damaged XMP packet is not changed, and read as far as possible`() throws {
        let text = String(decoding: Self.packet, as: UTF8.self)
        #expect(XMPEditor(Self.packet) != nil)
        let damaged = [
            text.replacing("own:kept=\"", with: "own:kept="), text.replacing("own:kept=", with: "own:kept"),
            text.replacing("-->", with: "->"),
            text.replacing("</r:RDF>", with: ""), text.replacing("<d:title>", with: "<!DOCTYPE a><d:title>"),
            text + "<", text + "</a>",
        ]
        for text in damaged { #expect(XMPEditor(Data(text.utf8)) == nil, "\(text)") }
        for text in damaged.suffix(4) { #expect(XMPPacket(Data(text.utf8)).text("dc:title") == "Old", "\(text)") }
        let hidden = text.replacing("<d:title>", with: "<![CDATA[<d:title>]]><d:title>")
        #expect(XMPEditor(Data(hidden.utf8)) != nil && XMPPacket(Data(hidden.utf8)).text("dc:title") == "Old")
    }

    @Test func `an XMP packet longer than a segment is split in a JPEG and joined elsewhere`() throws {
        let long = try #require(MetadataChange([.keywords((0..<9_000).map { "keyword \($0)" })]).xmp(Data()))
        let metadata = EncodingMetadata(xmp: long)
        let file = try JPEGEncoder().encode(Self.image(), metadata: metadata, cancellation: CancellationFlag())
        let properties = try EncodedImage(file).properties
        #expect(properties.metadata.keywords.count == 9_000 && properties.extendedXMP != nil)
        let again = EncodingMetadata(keeping: .all, of: properties)
        let png = try PNGEncoder().encode(Self.image(), metadata: again, cancellation: CancellationFlag())
        #expect(try EncodedImage(png).properties.metadata.keywords.count == 9_000)
        let titled = try EncodedImage(ImageMetadata.apply([.title("T"), .keywords(["a"])], toFile: file)).properties
        #expect(titled.metadata.title == "T" && titled.metadata.keywords == ["a"])
    }

    /// The metadata that each format keeps of a JPEG with everything. Documentation/Encoding.md has the same table.
    private static let kept: [ImageFormat: Set<ConversionLoss>] = [
        .jpeg: [.gainMap, .profile, .exif, .xmp, .iptc, .resolution],
        .png: [.profile, .exif, .xmp, .iptc, .resolution],
        .webp: [.profile, .exif, .xmp, .iptc, .resolution],
        .avif: [.gainMap, .profile, .exif, .xmp, .iptc, .resolution],
        .jxl: [.gainMap, .profile, .exif, .xmp, .iptc, .resolution],
        .tiff: [.profile, .exif, .xmp, .iptc, .resolution],
        .bmp: [.profile, .resolution], .gif: [], .ico: [],
    ]

    @Test func `a JPEG with everything keeps in each format what the table says, and the rest is named`() async throws {
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        var metadata = Self.all
        let numbers = GainMap.Metadata(maximum: SIMD3(repeating: 2), alternateHeadroom: 2)
        let map = try #require(GainMap(image: Self.image(), metadata: numbers))
        metadata.gainMap = map
        let image = try Self.image().assigningColorProfile(profile)
        let plain = try JPEGEncoder().encode(image, metadata: metadata, cancellation: CancellationFlag())
        let file =
            plain.prefix(20) + JPEGMarker.segment(JPEGMarker.comment, Array("Comment".utf8)) + plain.dropFirst(20)
        let source = try EncodedImage(file).properties
        #expect(source.xmp != nil && source.hasGainMap && source.metadata["City"] == "Hamburg")
        let everything: Set<ConversionLoss> = [.gainMap, .profile, .exif, .xmp, .iptc, .texts, .resolution]
        for format in ImageEncoders.formats where ConversionLossTests.isRead(format) {
            let output = try await ImageConverter().convert(file, to: format, keeping: .all)
            let properties = try EncodedImage(output.data).properties
            // The converter maps colors to sRGB.
            let expected = everything.subtracting(try #require(Self.kept[format])).union([.profile])
            #expect(Set(output.lost) == expected, "\(format)")
            let names = [(ConversionLoss.xmp, "Title", "Old"), (.exif, "Make", "Me")]
            for (loss, name, value) in names where !expected.contains(loss) {
                #expect(properties.metadata[name] == value, "\(format) \(name)")
            }
            let shared = try await ImageConverter().convert(file, to: format, keeping: .allButPlace)
            #expect(shared.data.firstRange(of: Data("Hamburg".utf8)) == nil, "\(format)")
        }
    }

    /// A record of application 2.
    private static func record(_ number: UInt8, _ text: String) -> Data {
        Data([0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8))
    }

    @Test(arguments: ImageEncoders.formats.filter { [.webp, .avif, .jxl].contains($0) })
    func `a file without IPTC records has their fields in XMP, unless XMP states them`(format: ImageFormat) throws {
        let texts: [(UInt8, String)] = [
            (0, "\0\u{4}"), (5, "Ignored"), (120, "A <b> & c"), (25, "sea"), (25, "ship"), (80, "Ada"),
            (116, "(c) Ada"),
            (90, "Kiel"), (101, "Germany"), (55, "20261121"), (60, "193000+0100"),
        ]
        let block = texts.reduce(Data()) { $0 + Self.record($1.0, $1.1) }
        func written(_ xmp: Data?, _ block: Data) throws -> ImageProperties {
            let encoder = try #require(ImageEncoders.encoder(for: format))
            let metadata = EncodingMetadata(xmp: xmp, iptc: block)
            return try EncodedImage(
                encoder.encode(Self.image(), metadata: metadata, cancellation: CancellationFlag())
            ).properties
        }
        let file = try written(MetadataChange([.title("Title")]).xmp(Data()), block)
        let metadata = file.metadata
        #expect(metadata.title == "Title" && metadata.imageDescription == "A <b> & c")
        #expect(metadata.keywords == ["sea", "ship"] && metadata.creators == ["Ada"])
        #expect(metadata.copyright == "(c) Ada" && metadata["City"] == "Kiel" && metadata["Country"] == "Germany")
        #expect(metadata["DateTimeOriginal"] == "2026:11:21 19:30:00+01:00")

        var source = ImageProperties(format: .jpeg, size: PixelSize(4))
        (source.iptc, source.xmp) = (block, MetadataChange([.title("Title")]).xmp(Data()))
        #expect(ConversionLoss.between(source, file, frames: 1, flattens: false).isEmpty)
        let name = #"xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:DateTimeOriginal="2020-01-02T03:04:05""#
        let text = String(decoding: XMPEditor.empty, as: UTF8.self)
        let dated = Data(text.replacing("</rdf:RDF>", with: "<rdf:Description \(name)/></rdf:RDF>").utf8)
        #expect(try written(dated, block).metadata["DateTimeOriginal"] == "2020:01:02 03:04:05")
        // Supplemental categories have no property.
        source.iptc = block + Self.record(20, "X")
        #expect(ConversionLoss.between(source, file, frames: 1, flattens: false) == [.iptc])
        (source.iptc, source.xmp) = (block, nil)
        #expect(ConversionLoss.between(source, file, frames: 1, flattens: false) == [.iptc], "another title")
    }

    @Test func `any byte changed, or a file cut short, is changed or refused`() throws {
        for file in try Self.files() where file.count < 3_000 {
            let format = try EncodedImage(file).properties.format
            for place in stride(from: 0, to: file.count, by: 3) {
                var damaged = file
                damaged[damaged.startIndex + place] ^= 0xFF
                _ = try? MetadataFile.replacing(
                    MetadataPackets(exif: Self.all.exif, xmp: Self.packet, iptc: Self.records), in: damaged,
                    of: format)
                _ = try? MetadataFile.replacing(
                    MetadataPackets(exif: Data(), xmp: Data(), iptc: Data()), in: file.prefix(place),
                    of: format)
            }
        }
    }
}
