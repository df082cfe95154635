import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that gain maps are noticed.
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
        func isIn(_ bytes: [UInt8]) -> Bool { GainMap.isIn(boxesOf: ByteChain(whole: Data(bytes))) }
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
