import FirnData
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests the fields that are read from EXIF data, IPTC records and XMP packets, and their order.
@Suite struct ImageMetadataTests {
    private static let namespaces = [
        "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'", "xmlns:dc='http://purl.org/dc/elements/1.1/'",
        "xmlns:x1='http://ns.adobe.com/xap/1.0/'", "xmlns:exif='http://ns.adobe.com/exif/1.0/'",
        "xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/'",
        "xmlns:r='http://www.metadataworkinggroup.com/schemas/regions/'",
        "xmlns:a='http://ns.adobe.com/xmp/sType/Area#'",
    ].joined(separator: " ")

    private static func packet(_ attributes: String = "", _ elements: String = "") -> Data {
        Data(
            """
            <?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
            <!-- a <comment> --><rdf:RDF \(namespaces)><rdf:Description rdf:about='' \(attributes)>\(elements)\
            </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>
            """.utf8)
    }

    private static func record(_ number: UInt8, _ text: String) -> [UInt8] {
        [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func exif(_ texts: [(Int, String)], details: [(Int, String)] = []) -> Data? {
        func fields(_ texts: [(Int, String)]) -> [EXIFField] {
            texts.map { EXIFField(tag: $0.0, type: 2, count: $0.1.utf8.count + 1, bytes: Array($0.1.utf8) + [0]) }
        }
        return EXIFField.data(fields(texts), details: fields(details), isBig: true)
    }

    private func metadata(
        exif: Data? = nil, xmp: Data? = nil, iptc: [UInt8]? = nil, digest: Data? = nil
    ) -> ImageMetadata {
        var properties = ImageProperties(format: .jpeg, size: PixelSize(1))
        (properties.exif, properties.xmp, properties.iptc) = (exif, xmp, iptc.map { Data($0) })
        properties.iptcDigest = digest
        return properties.metadata
    }

    // MARK: XMP

    @Test func `XMP is read from attributes, elements, lists, alternatives and entities`() {
        let found = metadata(
            xmp: ImageMetadataTests.packet(
                "x1:Rating='4' x1:Label='A &lt;&#66;&#x43;&unknown;&amp;'",
                """
                <dc:title><rdf:Alt><rdf:li xml:lang='de'>Titel</rdf:li><rdf:li xml:lang='x-default'>Title</rdf:li>
                </rdf:Alt></dc:title><dc:subject><rdf:Bag><rdf:li>one</rdf:li><rdf:li> two
                 words </rdf:li></rdf:Bag></dc:subject><photoshop:Credit>The <b/>Agency</photoshop:Credit>
                """))
        #expect(found.rating == 4 && found.title == "Title" && found.keywords == ["one", "two words"])
        #expect(found["Label"] == "A <BC&unknown;&" && found["Credit"] == nil && found["Keywords"] == "one; two words")
    }

    @Test func `regions of faces are read from structures in either form`() throws {
        let area = "a:x='0.5' a:y='0.25' a:w='0.1' a:h='0.2' a:unit='normalized'"
        let found = metadata(
            xmp: ImageMetadataTests.packet(
                "",
                """
                <r:Regions rdf:parseType='Resource'><r:RegionList><rdf:Seq>
                <rdf:li><rdf:Description r:Name='Ada' r:Type='Face'><r:Area \(area)/></rdf:Description></rdf:li>
                <rdf:li rdf:parseType='Resource'><r:Area rdf:parseType='Resource'><a:x>1/2</a:x><a:y>0</a:y></r:Area>
                </rdf:li><rdf:li rdf:parseType='Resource'><r:Name>nowhere</r:Name></rdf:li>
                </rdf:Seq></r:RegionList></r:Regions>
                """))
        #expect(found.regions.count == 2)
        let face = try #require(found.regions.first)
        #expect(face.name == "Ada" && face.kind == "Face" && face.x == 0.5 && face.y == 0.25)
        #expect(face.width == 0.1 && face.height == 0.2)
        #expect(found.regions.last?.x == 0.5 && found.regions.last?.width == 0 && found.regions.last?.name == nil)
    }

    @Test func `a place and a time in XMP have the form of EXIF data`() {
        let found = metadata(
            xmp: ImageMetadataTests.packet(
                """
                exif:GPSLatitude='40,30,36S' exif:GPSLongitude='74,30.5E' exif:GPSAltitude='25/2'
                exif:GPSAltitudeRef='1' x1:CreateDate='2026-11-21T19:30:05.25+01:00' exif:ExposureTime='1/250'
                """))
        #expect(abs((found.latitude ?? 0) + 40.51) < 1e-9 && abs((found.longitude ?? 0) - 74.508_333_333) < 1e-6)
        #expect(found.altitude == -12.5 && found.exposureSeconds == 0.004)
        #expect(found["CreateDate"] == "2026:11:21 19:30:05.25+01:00")
        #expect(found.taken == found.time("CreateDate") && found.taken?.timeZone?.secondsFromGMT() == 3_600)
        #expect(found.takenText == "2026-11-21 19:30:05")
        #expect(metadata(xmp: ImageMetadataTests.packet("x1:CreateDate='2026-11'"))["CreateDate"] == "2026:11")
    }

    // MARK: Order

    @Test func `EXIF data precede XMP, and XMP precedes IPTC records that nothing but XMP's program changed`() {
        let records =
            ImageMetadataTests.record(120, "iptc") + ImageMetadataTests.record(25, "first")
            + ImageMetadataTests.record(25, "second")
        let xmp = ImageMetadataTests.packet(
            "",
            "<dc:description><rdf:Alt><rdf:li>xmp</rdf:li></rdf:Alt></dc:description>"
                + "<dc:subject><rdf:Bag><rdf:li>x</rdf:li></rdf:Bag></dc:subject>")
        let exif = ImageMetadataTests.exif([(0x010E, "exif"), (0x013B, "Ada; Grace")])
        #expect(metadata(exif: exif, xmp: xmp, iptc: records).imageDescription == "exif")
        #expect(metadata(exif: exif).creators == ["Ada", "Grace"])
        #expect(metadata(xmp: xmp, iptc: records).imageDescription == "xmp")
        #expect(metadata(iptc: records).keywords == ["first", "second"])
        let digest = MD5.hexadecimal(of: records)
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { UInt8(digest.dropFirst($0).prefix(2), radix: 16) }
        #expect(metadata(xmp: xmp, iptc: records, digest: Data(bytes)).keywords == ["x"])
        // Another program changed the records.
        let changed = metadata(xmp: xmp, iptc: records, digest: Data(count: 16))
        #expect(changed.keywords == ["first", "second"] && changed.imageDescription == "iptc")
        #expect(metadata(xmp: xmp, iptc: ImageMetadataTests.record(5, "t"), digest: Data(count: 16)).keywords == ["x"])
    }

    @Test func `times of IPTC records and EXIF data have a fraction and a zone`() {
        let records = ImageMetadataTests.record(55, "20261121") + ImageMetadataTests.record(60, "193005+0130")
        #expect(metadata(iptc: records)["DateTimeOriginal"] == "2026:11:21 19:30:05+01:30")
        #expect(metadata(iptc: ImageMetadataTests.record(55, "20261121"))["DateTimeOriginal"] == "2026:11:21")
        #expect(metadata(iptc: ImageMetadataTests.record(60, "193005"))["DateTimeOriginal"] == nil)
        let exif = ImageMetadataTests.exif(
            [], details: [(0x9003, "2026:11:21 19:30:05"), (0x9011, "-05:00"), (0x9291, "07 ")])
        #expect(metadata(exif: exif)["DateTimeOriginal"] == "2026:11:21 19:30:05.07-05:00")
    }

    @Test func `both holders of the rights, and a comment in UTF-16, are read`() {
        let comment = Array("UNICODE\0".utf8) + "Zoë".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let exif = EXIFField.data(
            [EXIFField(tag: 0x8298, type: 2, count: 10, bytes: Array("Ada\0Grace\0".utf8))],
            details: [EXIFField(tag: 0x9286, type: 7, count: comment.count, bytes: comment)], isBig: true)
        #expect(metadata(exif: exif).copyright == "Ada Grace" && metadata(exif: exif)["UserComment"] == "Zoë")
    }

    @Test func `directories have whole numbers, texts are also UTF-8, and a comment may be short`() throws {
        func exif(_ link: EXIFField) throws -> ImageMetadata {
            let whole = try #require(
                EXIFField.data(
                    [EXIFField(tag: 0x0110, type: 129, count: 4, bytes: Array("Zoë".utf8))],
                    details: [EXIFField(tag: 0x9286, type: 7, count: 3, bytes: Array("abc".utf8))], isBig: true))
            // The entry that links to the details is the second one.
            var bytes = [UInt8](whole)
            bytes.replaceSubrange(24..<26, with: HandmadePNG.big(link.type, 2))
            return metadata(exif: Data(bytes))
        }
        let link = EXIFField(tag: 0x8769, type: 4, count: 1, bytes: [])
        #expect(try exif(link)["Model"] == "Zoë" && exif(link)["UserComment"] == "abc")
        #expect(try exif(EXIFField(tag: 0x8769, type: 13, count: 1, bytes: []))["UserComment"] == "abc")
        #expect(try exif(EXIFField(tag: 0x8769, type: 2, count: 1, bytes: []))["UserComment"] == nil)
    }

    @Test func `numbers are read of every type, and seconds have seven digits`() throws {
        func fraction(_ above: Int, _ below: Int) -> [UInt8] { HandmadePNG.big(above, 4) + HandmadePNG.big(below, 4) }
        let numbers: [(tag: Int, type: Int, count: Int, bytes: [UInt8])] = [
            (0x9203, 10, 1, fraction(-3, 2)), (0x9204, 10, 1, fraction(3, -4)), (0x9206, 6, 1, [0xFF]),
            (0xA408, 8, 1, [0xFF, 0xFE]), (0xA409, 9, 1, [0xFF, 0xFF, 0xFF, 0xFD]),
            (0xA40A, 11, 1, [0x3F, 0xC0, 0, 0]),
            (0xA404, 12, 1, [0x40, 0x04, 0, 0, 0, 0, 0, 0]), (0x829D, 5, 1, fraction(28, 10)), (0x9209, 1, 1, [9]),
        ]
        let clock = fraction(22, 1) + fraction(7, 1) + fraction(514_915_539, 33_554_432)
        let exif = EXIFField.data(
            [], details: numbers.map { EXIFField(tag: $0.tag, type: $0.type, count: $0.count, bytes: $0.bytes) },
            gps: [
                EXIFField(tag: 7, type: 5, count: 3, bytes: clock),
                EXIFField(tag: 0x1D, type: 2, count: 11, bytes: Array("2012:11:04\0".utf8)),
            ], isBig: true)
        let found = metadata(exif: exif)
        #expect(found.number("BrightnessValue") == -1.5 && found.number("ExposureCompensation") == -0.75)
        #expect(found.number("SubjectDistance") == -1 && found.number("Contrast") == -2)
        #expect(found.number("Saturation") == -3 && found.number("Sharpness") == 1.5)
        #expect(found.number("DigitalZoomRatio") == 2.5 && found.aperture == 2.8 && found.flashFired == true)
        #expect(found["GPSDateTime"] == "2012:11:04 22:07:15.3456789Z")
    }

    // MARK: Files

    @Test func `the extension of a JPEG's packet is joined in the order of its offsets`() throws {
        let guid = String(repeating: "A", count: 32)
        let name = "http://ns.adobe.com/xap/1.0/\0"
        let main = ImageMetadataTests.packet("xmlns:n='http://ns.adobe.com/xmp/note/' n:HasExtendedXMP='\(guid)'")
        let more = ImageMetadataTests.packet("x1:Label='extended'")
        func part(_ range: Range<Int>, _ guid: String) -> (code: UInt8, content: Data) {
            let head = Data("http://ns.adobe.com/xmp/extension/\0\(guid)".utf8)
            let place = HandmadePNG.big(more.count, 4) + HandmadePNG.big(range.lowerBound, 4)
            return (0xE1, head + place + more[range])
        }
        func label(_ parts: [(code: UInt8, content: Data)]) throws -> String? {
            let plain = try JPEGEncoder().encode(JPEGImages.plain(1, 2, 3, width: 8, height: 8))
            let file = JPEGImages.inserting([(0xE1, Data(name.utf8) + main)] + parts, into: plain)
            return try session(file).properties()?.metadata["Label"]
        }
        let (first, second) = (part(0..<200, guid), part(200..<more.count, guid))
        #expect(try label([first, second]) == "extended")
        #expect(try label([second, first]) == "extended")
        #expect(try label([second]) == nil)
        #expect(try label([part(0..<more.count, String(repeating: "B", count: 32))]) == nil)
        #expect(try label([]) == nil)
    }

    @Test func `comments and uncompressed texts are returned`() throws {
        let plain = try JPEGEncoder().encode(JPEGImages.plain(1, 2, 3, width: 8, height: 8))
        let jpeg = JPEGImages.inserting([(0xFE, Data("hello\0".utf8))], into: plain)
        #expect(try session(jpeg).properties()?.texts == ["Comment": "hello"])
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [
            ("tEXt", Array("Title\0Z".utf8) + [0xEB]), ("tEXt", Array("Title\0other".utf8)),
            ("iTXt", Array("Note\0\0\0de\0Notiz\0text".utf8)), ("iTXt", Array("Packed\0\u{1}\0\0\0x".utf8)),
        ]
        png.behind = [("tEXt", Array("Author\0Ada".utf8))]
        #expect(try session(png.data).properties()?.texts == ["Title": "Zë", "Note": "text", "Author": "Ada"])
        let gif = HandmadeGIF(width: 1, height: 1, frames: [.init(width: 1, height: 1, indices: [0])]).data
        let comment: [UInt8] = [0x21, 0xFE, 2] + Array("he".utf8) + [3] + Array("llo".utf8) + [0]
        let commented = gif.prefix(25) + Data(comment) + gif.dropFirst(25)
        #expect(try session(Data(commented)).properties()?.texts == ["Comment": "hello"])
    }

    @Test func `an XMP packet of a PNG may be hexadecimal, and another one precedes it`() throws {
        func keyword(_ packet: Data) -> [UInt8] {
            Array("Raw profile type xmp\0\nxmp\n      \(packet.count)\n\([UInt8](packet).hexadecimal)\n".utf8)
        }
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [("tEXt", keyword(ImageMetadataTests.packet("x1:Label='old'")))]
        #expect(try session(png.data).properties()?.metadata["Label"] == "old")
        let packet = [UInt8](ImageMetadataTests.packet("x1:Label='new'"))
        png.before.append(("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + packet))
        #expect(try session(png.data).properties()?.metadata["Label"] == "new")
    }

    @Test func `a PNG states its light`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [
            ("cICP", [9, 16, 0, 1]),
            ("mDCV", [UInt8](repeating: 0, count: 16) + HandmadePNG.big(10_000_000, 4) + HandmadePNG.big(50, 4)),
            ("cLLI", HandmadePNG.big(6_000_000, 4) + HandmadePNG.big(0, 4)),
        ]
        let light = try #require(try session(png.data).properties()).light
        #expect(light.primaries == 9 && light.transfer == 16 && light.matrix == 0 && light.isFullRange == true)
        #expect(light.dynamicRange == "pq" && light.masteringPeak == 1_000 && light.masteringBlack == 0.005)
        #expect(light.maximumContentLight == 600 && light.maximumAverageLight == nil && light.peak == 600)
        png.before = [("sRGB", [0])]
        #expect(try session(png.data).properties()?.light.transfer == 13)
    }

    @Test func `the properties of HEIF state the light, and an unknown code is nil`() {
        var light = ImageLight()
        func take(_ type: FourCharacterCode, _ bytes: [UInt8]) { light.take(type, ISOFields(bytes, DecodingWatch())) }
        take("colr", Array("nclx".utf8) + [0, 9, 0, 18, 0, 2, 0x80])
        take("clli", [3, 0xE8, 1, 0x90])
        take("mdcv", [UInt8](repeating: 0, count: 16) + HandmadePNG.big(40_000_000, 4) + HandmadePNG.big(1, 4))
        #expect(light.primaries == 9 && light.matrix == nil && light.isFullRange == true)
        #expect(light.dynamicRange == "hlg" && light.peak == 1_000 && light.maximumAverageLight == 400)
        #expect(light.masteringPeak == 4_000 && light.masteringBlack == 0.0001)
        let before = light
        take("colr", Array("prof".utf8))
        take("colr", Array("nclx".utf8) + [0, 9, 0, 18])
        take("mdcv", [1, 2, 3])
        #expect(light == before)
        // QuickTime's type states no range.
        take("colr", Array("nclc".utf8) + [0, 1, 0, 1, 0, 1])
        #expect(light.primaries == 1 && light.transfer == 1 && light.matrix == 1 && light.isFullRange == false)
    }

    // MARK: Damage

    @Test func `every prefix and many changes of all packets are read without harm`() {
        var random = RepeatableNumbers(seed: 7)
        let xmp = ImageMetadataTests.packet(
            "x1:Rating='4'",
            "<r:Regions><r:RegionList><rdf:Seq><rdf:li r:Name='a'/></rdf:Seq></r:RegionList></r:Regions>")
        let exif = ImageMetadataTests.exif(
            [(0x010F, "Make"), (0x0132, "2026:11:21 19:30:05")], details: [(0x9003, "2026:11:21 19:30:05")])
        let iptc = Data(ImageMetadataTests.record(55, "20261121") + ImageMetadataTests.record(60, "193005+0130"))
        for packet in [xmp, exif ?? Data(), iptc] {
            func read(_ packet: Data) {
                let found = metadata(exif: packet, xmp: packet, iptc: [UInt8](packet))
                #expect(found.values.count < 100)
                _ = (found.taken, found.orientation, found.camera)
            }
            for count in packet.indices { read(packet.prefix(count)) }
            for _ in 0..<200 {
                var changed = packet
                for _ in 0..<4 {
                    changed[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                read(changed)
            }
        }
    }

    @Test func `nested, many and endless elements take bounded work`() {
        for part in ["<a>", "<a b='", "&#", "<!--", "<a b=c d", "</a>", "<rdf:li>", "<x:a xmlns:x='"] {
            let text = String(repeating: part, count: (2 << 20) / part.utf8.count)
            let packet = XMPPacket(Data(text.utf8))
            #expect(packet.properties.count <= 20_000, "\(part)")
        }
        let nested = String(repeating: "<rdf:Description>", count: 10_000)
        #expect(XMPPacket(Data("\(nested)<dc:title>deep</dc:title>".utf8)).text("dc:title") == nil)
        let many = [UInt8](repeating: 0, count: 5_000).flatMap { _ in ImageMetadataTests.record(25, "k") }
        #expect(metadata(iptc: many).keywords.count == 1_000)
    }
}
