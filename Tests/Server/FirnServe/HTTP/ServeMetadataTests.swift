import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

/// The parts of a source that a result keeps beside the pixels: copyright notice, color profile, preview.
@Suite("Metadata and embedded previews of results", .timeLimit(.minutes(3)))
struct ServeMetadataTests {
    private static let place = "50 N 8 E"

    /// The segments of a JPEG that state a notice, each with another text around it.
    private static let statements: [(name: String, segment: Data)] = [
        ("exif", segment(0xE1, exif([(0x010E, place), (0x013B, "Ann Lee"), (0x8298, "2026 Ann Lee")]))),
        (
            "iptc",
            segment(0xED, photoshop([(105, place), (80, "Ann Lee"), (110, "Agency"), (116, "2026 Ann Lee")]))
        ),
        (
            "xmp",
            segment(
                0xE1,
                """
                http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description \
                exif:GPSLatitude="\(place)"><dc:creator><rdf:Seq><rdf:li>Ann Lee</rdf:li></rdf:Seq></dc:creator>\
                <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">2026 Ann Lee</rdf:li></rdf:Alt></dc:rights>\
                </rdf:Description></rdf:RDF></x:xmpmeta>
                """)
        ),
    ]

    private static func segment(_ marker: UInt8, _ content: some Collection<UInt8>) -> Data {
        let length = content.count + 2
        return Data([0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content)
    }

    private static func segment(_ marker: UInt8, _ text: String) -> Data { segment(marker, Array(text.utf8)) }

    /// A directory of texts.
    private static func exif(_ texts: [(tag: UInt16, text: String)]) -> [UInt8] {
        func big(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var entries: [UInt8] = []
        var values: [UInt8] = []
        for (tag, text) in texts {
            entries += big(Int(tag), 2) + big(2, 2) + big(text.utf8.count + 1, 4)
            entries += big(8 + 2 + 12 * texts.count + 4 + values.count, 4)
            values += Array(text.utf8) + [0]
        }
        return Array("Exif\0\0MM\0*".utf8) + big(8, 4) + big(texts.count, 2) + entries + big(0, 4) + values
    }

    /// The resource of IPTC records, behind one of another kind with a name.
    private static func photoshop(_ records: [(record: UInt8, text: String)]) -> [UInt8] {
        let block: [UInt8] = records.flatMap { record, text in
            [0x1C, 2, record, 0, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        let kind = Array("8BIM".utf8)
        var segment = Array("Photoshop 3.0\0".utf8) + kind
        segment += [3, 0xED, 2]
        segment += Array("ab".utf8)
        segment += [0, 0, 0, 0, 3, 1, 2, 3, 0]
        segment += kind
        segment += [4, 4, 0, 0, 0, 0, UInt8(block.count >> 8), UInt8(block.count & 0xFF)]
        return segment + block
    }

    private static func jpeg(_ segments: Data) throws -> Data {
        let file = try ServeFixture.image(PixelSize(width: 60, height: 40), .jpeg)
        return file.prefix(2) + segments + file.dropFirst(2)
    }

    private static func properties(_ bytes: [UInt8]) throws -> ImageProperties {
        try #require(try propertiesIfRead(Data(bytes)))
    }

    private static func propertiesIfRead(_ file: Data) throws -> ImageProperties? {
        let decoder = ImageDecoder(decoders: ImageDecoders.standard)
        try decoder.append(file)
        decoder.finish()
        return decoder.properties
    }

    @Test(arguments: 0..<3)
    func `the copyright notice stays where metadata are removed, and nothing else does`(_ index: Int) async throws {
        try await ServeFixture.run { fixture in
            let (name, segment) = Self.statements[index]
            let file = try Self.jpeg(segment)
            try file.write(to: URL(filePath: "\(fixture.folder)/images/\(name).jpg"))
            #expect(file.firstRange(of: Data(Self.place.utf8)) != nil)
            for format in ["jpg", "png", "webp", "avif"] {
                for (options, isKept) in [("", true), ("/kcr:1", true), ("/kcr:0", false)] {
                    let path = "\(options)/w:30/plain/local:///\(name).jpg@\(format)"
                    let response = try await fixture.get(path)
                    #expect(response.status == 200)
                    #expect(Data(response.body).firstRange(of: Data(Self.place.utf8)) == nil, "\(path)")
                    let exif = try Self.properties(response.body).exif
                    let directories = exif.flatMap { EXIFDirectories($0) }
                    let texts = [0x013B, 0x8298].map { directories?.text($0, in: directories?.first) }
                    #expect(texts == (isKept ? ["Ann Lee", "2026 Ann Lee"] : [nil, nil]), "\(path)")
                }
            }
            // All of them, where they are not removed.
            let whole = try await fixture.get("/sm:0/w:30/plain/local:///\(name).jpg@jpg")
            #expect(Data(whole.body).firstRange(of: Data(Self.place.utf8)) != nil)
        }
    }

    @Test func `an image without a notice gets none, and damaged records are ignored`() throws {
        var properties = ImageProperties(format: .jpeg, size: PixelSize(width: 1, height: 1))
        let bare = try Self.jpeg(Data())
        #expect(try CopyrightNotice(Self.properties([UInt8](bare))) == nil)
        let iptc = try Self.jpeg(Self.statements[1].segment)
        #expect(try CopyrightNotice(Self.properties([UInt8](iptc)))?.rights == "2026 Ann Lee")
        for index in 0..<min(iptc.count, 220) {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var damaged = iptc
                damaged[index] = value
                _ = (try? Self.propertiesIfRead(damaged)).map { CopyrightNotice($0) }
            }
            _ = (try? Self.propertiesIfRead(iptc.prefix(index))).map { CopyrightNotice($0) }
        }
        for packet in ["", "<dc:rights", "<dc:rights></dc:rights>", "<dc:rights><rdf:li</dc:rights>", "dc:rights=\"x"] {
            properties.xmp = Data(packet.utf8)
            #expect(CopyrightNotice(properties) == nil, "\(packet)")
        }
        properties.xmp = Data("<a dc:rights=\"A &amp; B\"/>".utf8)
        #expect(CopyrightNotice(properties)?.rights == "A & B")
    }

    // MARK: Colors

    /// A profile with the primaries and the curve of sRGB, about, and red and green exchanged.
    private static var swapped: Data {
        func big(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        func point(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
            Array("XYZ ".utf8) + big(0) + [x, y, z].flatMap { big(Int(($0 * 65_536).rounded())) }
        }
        let curve = Array("curv".utf8) + big(0) + big(1) + [2, 0x33, 0, 0]
        let tags: [(String, [UInt8])] = [
            ("wtpt", point(0.9642, 1, 0.8249)), ("rXYZ", point(0.3851, 0.7169, 0.0971)),
            ("gXYZ", point(0.4361, 0.2225, 0.0139)), ("bXYZ", point(0.1431, 0.0606, 0.7141)),
            ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var table = big(tags.count)
        var values: [UInt8] = []
        for (name, value) in tags {
            table += Array(name.utf8) + big(128 + 4 + 12 * tags.count + values.count) + big(value.count)
            values += value
        }
        var header = big(128 + table.count + values.count) + big(0) + [4, 0, 0, 0] + Array("mntrRGB XYZ ".utf8)
        header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        header += big(0xF6D6) + big(0x10000) + big(0xD32D) + [UInt8](repeating: 0, count: 48)
        return Data(header + table + values)
    }

    @Test func `strip_color_profile converts to sRGB, and where it is off profile and colors stay`() async throws {
        try await ServeFixture.run { fixture in
            let profile = try #require(ColorProfile(icc: Self.swapped))
            let red = try Bitmap(size: PixelSize(width: 40, height: 40), format: .rgb8, colorProfile: profile) {
                pixels in
                for y in 0..<40 {
                    let row = pixels.row(y)
                    for x in 0..<40 {
                        for (channel, value) in [UInt8(220), 20, 30].enumerated() {
                            row.storeBytes(of: value, toByteOffset: 3 * x + channel, as: UInt8.self)
                        }
                    }
                }
            }
            let encoder = try #require(ImageEncoders.encoder(for: .png))
            try encoder.encode(red).write(to: URL(filePath: "\(fixture.folder)/images/p3.png"))
            for format in ["png", "jpg", "webp"] {
                for (options, isKept) in [("", false), ("/scp:1", false), ("/scp:0", true), ("/scp:0/sm:0", true)] {
                    let response = try await fixture.get("\(options)/w:20/rot:90/plain/local:///p3.png@\(format)")
                    #expect(response.status == 200)
                    let stated = try Self.properties(response.body).colorProfile
                    #expect((stated?.icc == profile.icc) == isKept, "\(format) \(options)")
                    let decoder = ImageDecoder(decoders: ImageDecoders.standard)
                    try decoder.append(Data(response.body))
                    decoder.finish()
                    var decoding = DecodingOptions()
                    decoding.appliesColorProfile = false
                    let color = try decoder.frame(at: 0, options: decoding).image().color(10, 10)
                    #expect(isKept ? color[0] > 200 && color[1] < 60 : color[1] > 200 && color[0] < 60, "\(color)")
                }
            }
        }
    }

    // MARK: Previews

    @Test func `enforce_thumbnail uses an embedded preview that is large enough`() async throws {
        try await ServeFixture.run { fixture in
            let plain = try Bitmap(size: PixelSize(width: 30, height: 20), format: .rgb8) { pixels in
                for y in 0..<20 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 128, count: 90) }
            }
            let thumbnail = try #require(ImageEncoders.encoder(for: .jpeg)).encode(plain)
            // An empty directory, then one with the place of the thumbnail behind it.
            let second: [UInt8] = [0, 2, 2, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 44, 2, 2, 0, 4, 0, 0, 0, 1, 0, 0]
            let length = [UInt8(thumbnail.count >> 8), UInt8(thumbnail.count & 0xFF)]
            var exif: [UInt8] = Array("Exif\0\0MM\0*".utf8)
            exif += [0, 0, 0, 8, 0, 0, 0, 0, 0, 14]
            exif += second + length
            exif += [0, 0, 0, 0]
            exif += [UInt8](thumbnail)
            try Self.jpeg(Self.segment(0xE1, exif)).write(to: URL(filePath: "\(fixture.folder)/images/e.jpg"))
            for (options, isGray) in [("/eth:1/w:30", true), ("/w:30", false), ("/eth:1/w:40", false)] {
                let response = try await fixture.get("\(options)/plain/local:///e.jpg@png")
                #expect(response.status == 200)
                let color = try ServeFixture.bitmap(response.body).color(5, 10)
                #expect(abs(Int(color[0]) - (isGray ? 128 : 255)) < 6, "\(options): \(color)")
            }
        }
    }
}
