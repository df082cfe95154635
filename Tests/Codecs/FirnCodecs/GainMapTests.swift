import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that gain maps are found and described.
@Suite struct GainMapTests {
    private func jpeg(_ segments: [(code: UInt8, content: Data)], behind: Data = Data()) throws -> Data {
        try JPEGImages.inserting(
            segments, into: JPEGEncoder().encode(JPEGImages.plain(20, 40, 200, width: 8, height: 8))) + behind
    }

    private func xmp(_ text: String) -> (code: UInt8, content: Data) {
        (0xE1, Data("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta \(text)/>".utf8))
    }

    private func hasMap(_ file: Data) throws -> Bool {
        let isFound = try #require(try session(file).properties()).hasGainMap
        #expect(try session(file, inPiecesOf: 20).properties()?.hasGainMap == isFound)
        return isFound
    }

    @Test func `of Ultra HDR and ISO 21496-1`() throws {
        #expect(try hasMap(jpeg([xmp(#"hdrgm:Version="1.0""#)])))
        #expect(try hasMap(jpeg([xmp(#"Item:Semantic="GainMap""#)])))
        #expect(try hasMap(jpeg([(0xE2, Data("urn:iso:std:iso:ts:21496:-1\0\0\0\0\0".utf8))])))
        #expect(try !hasMap(jpeg([xmp("a='b'"), (0xE2, Data("FPXR\0".utf8))])))
    }

    /// Returns metadata of ISO 21496-1 for a headroom of 2.5 stops.
    private var metadata: [UInt8] {
        [0, 0, 0, 0, 0x40] + [0, 1, 5, 2].flatMap { HandmadePNG.big($0, 4) } + [UInt8](repeating: 0, count: 40)
    }

    @Test func `the headroom is read from the metadata of ISO 21496-1 and of Ultra HDR`() throws {
        let name = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
        let iso = try session(jpeg([(0xE2, name + metadata)])).properties()?.gainMap
        #expect(iso == ImageGainMap(kind: "iso", headroom: 2.5))
        for count in metadata.indices {
            let cut = try session(jpeg([(0xE2, name + metadata.prefix(count))])).properties()?.gainMap
            #expect(cut?.headroom == (count < 21 ? nil : 2.5), "\(count)")
        }
        let xmp = try session(jpeg([xmp(#"hdrgm:Version="1.0" hdrgm:HDRCapacityMax="1.5""#)])).properties()?.gainMap
        #expect(xmp == ImageGainMap(kind: "ultraHDR", headroom: 1.5))
    }

    @Test func `a map in HEIF has the size and the channels of its item`() {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            HandmadePNG.big(content.count + 8, 4) + Array(type.utf8) + content
        }
        func item(_ number: UInt8, _ type: String) -> [UInt8] {
            box("infe", [2, 0, 0, 0, 0, number, 0, 0] + Array(type.utf8) + [0])
        }
        let size = box("ispe", [0, 0, 0, 0] + HandmadePNG.big(40, 4) + HandmadePNG.big(30, 4))
        let properties = box(
            "ipco", size + box("pixi", [0, 0, 0, 0, 1, 8]) + box("ispe", [UInt8](repeating: 9, count: 12)))
        let content = [0] + metadata
        func file(_ offset: Int) -> [UInt8] {
            let place = HandmadePNG.big(offset, 4) + HandmadePNG.big(content.count, 4)
            let meta =
                box("iinf", [0, 0, 0, 0, 0, 3] + item(1, "av01") + item(2, "av01") + item(3, "tmap"))
                + box("iref", [0, 0, 0, 0] + box("dimg", [0, 3, 0, 2, 0, 1, 0, 2]))
                + box("iprp", properties + box("ipma", [0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 3, 0, 2, 2, 1, 2]))
                + box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 3, 0, 0, 0, 1] + place)
            return box("meta", [0, 0, 0, 0] + meta) + content
        }
        let whole = file(file(0).count - content.count)
        func map(_ bytes: [UInt8]) -> ImageGainMap? { GainMap.map(boxesOf: ByteChain(whole: Data(bytes))) }
        #expect(
            map(whole)
                == ImageGainMap(kind: "iso", headroom: 2.5, size: PixelSize(width: 40, height: 30), channels: 1))
        for count in whole.indices { _ = map(Array(whole.prefix(count))) }
        for place in whole.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var changed = whole
                changed[place] = value
                _ = map(changed)
            }
        }
    }

    @Test(arguments: [true, false])
    func `of Apple, in a further image`(isMap: Bool) throws {
        let further = try jpeg([xmp(isMap ? "HDRGainMap:HDRGainMapVersion='65536'" : "a='b'")])
        // An index of two images, the second one behind the first. Its offset is from the index's TIFF header.
        func index(_ offset: Int) -> Data {
            let entries: [UInt8] = [0, 0, 0, 0] + HandmadePNG.big(1, 4) + [0, 0, 0, 0, 0, 0, 0, 0]
            let second: [UInt8] = [0, 0, 0, 0] + HandmadePNG.big(1, 4) + HandmadePNG.big(offset, 4) + [0, 0, 0, 0]
            let directory: [UInt8] = [0, 1, 0xB0, 2, 0, 7] + HandmadePNG.big(32, 4) + HandmadePNG.big(26, 4)
            return Data("MPF\0MM\0*".utf8) + Data(HandmadePNG.big(8, 4) + directory + [0, 0, 0, 0] + entries + second)
        }
        let first = try jpeg([(0xE2, index(0))])
        let header = try #require(first.firstRange(of: Data("MPF\0".utf8))).upperBound
        let file = try jpeg([(0xE2, index(first.count - header))], behind: further)
        #expect(try hasMap(file) == isMap)
        let map = try session(file).properties()?.gainMap
        let expected = ImageGainMap(kind: "apple", size: PixelSize(8), channels: 3)
        #expect(map == (isMap ? expected : nil))
        for count in first.count..<file.count { _ = try session(file.prefix(count)).properties() }
    }

    @Test func `of HEIF and JPEG XL boxes`() {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            HandmadePNG.big(content.count + 8, 4) + Array(type.utf8) + content
        }
        func meta(_ item: String, version: UInt8, auxiliary: String) -> [UInt8] {
            let identifier = [UInt8](repeating: 0, count: version == 3 ? 4 : 2)
            let name = box("infe", [version, 0, 0, 0] + identifier + [0, 0] + Array(item.utf8) + [0])
            let property = box("auxC", [0, 0, 0, 0] + Array(auxiliary.utf8) + [0])
            return box(
                "meta",
                [0, 0, 0, 0] + box("iinf", [0, 0, 0, 0, 0, 1] + name) + box("iprp", box("ipco", property)))
        }
        func isIn(_ bytes: [UInt8]) -> Bool { GainMap.map(boxesOf: ByteChain(whole: Data(bytes))) != nil }
        for version: UInt8 in [2, 3] {
            #expect(isIn(meta("tmap", version: version, auxiliary: "")))
            #expect(!isIn(meta("hvc1", version: version, auxiliary: "urn:mpeg:hevc:2015:auxid:1")))
            #expect(isIn(meta("hvc1", version: version, auxiliary: "urn:com:apple:photo:2020:aux:hdrgainmap")))
        }
        #expect(isIn(box("JXL ", [13, 10, 0x87, 10]) + box("jhgm", [0])))
        let whole = meta("tmap", version: 2, auxiliary: "")
        for count in whole.indices { _ = isIn(Array(whole.prefix(count))) }
    }
}
