import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests where the creator and the rights of an image are found.
@Suite struct CopyrightNoticeTests {
    private func png(_ chunks: [(String, [UInt8])], behind: [(String, [UInt8])] = []) throws -> CopyrightNotice? {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = chunks
        png.behind = behind
        return CopyrightNotice(try #require(try session(png.data).properties()))
    }

    private func record(_ number: UInt8, _ text: some Sequence<UInt8>) -> [UInt8] {
        let text = Array(text)
        return [0x1C, 2, number, 0, UInt8(text.count)] + text
    }

    private func profile(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return Array("\n\(name)\n       \(bytes.count)\n\(digits)\n".utf8)
    }

    @Test(arguments: ["tEXt", "zTXt", "iTXt"])
    func `the texts of a PNG`(type: String) throws {
        func text(_ keyword: String, _ text: [UInt8]) -> (String, [UInt8]) {
            let head = Array(keyword.utf8) + [0]
            switch type {
            case "zTXt": return (type, head + [0] + HandmadePNG.stored(text))
            case "iTXt": return (type, head + [0, 0, 0, 0] + text)
            default: return (type, head + text)
            }
        }
        let texts = [text("Author", Array("Zoë".utf8)), text("Copyright", Array("(c) Zoë".utf8))]
        #expect(try png(texts) == CopyrightNotice(creator: "Zoë", rights: "(c) Zoë"))
        #expect(try png([], behind: texts) == CopyrightNotice(creator: "Zoë", rights: "(c) Zoë"))
        // Latin-1, as the specification says for two of the types.
        #expect(try png([text("Author", [0x5A, 0x6F, 0xEB])])?.creator == "Zoë")
        #expect(try png([text("Title", Array("x".utf8))]) == nil)
    }

    @Test func `the IPTC records of a PNG, bare and in a resource of Photoshop's`() throws {
        let records = record(80, "Zoë".utf8) + record(116, [0x28, 0x63, 0x29])
        let resource = Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(records.count)] + records
        for (name, bytes) in [
            ("iptc", records), ("iptc", resource), ("8bim", resource),
            ("iptc", Array("Photoshop 3.0\0".utf8) + resource),
        ] {
            let keyword = Array("Raw profile type \(name)\0".utf8)
            let packed = ("zTXt", keyword + [0] + HandmadePNG.stored(profile(name, bytes)))
            for chunk in [packed, ("tEXt", keyword + profile(name, bytes))] {
                #expect(try png([chunk]) == CopyrightNotice(creator: "Zoë", rights: "(c)"), "\(name)")
            }
        }
    }

    @Test func `the XMP packet of a PNG, and the order of all of them`() throws {
        let xmp = ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<a dc:creator=\"X\" dc:rights=\"Y\"/>".utf8))
        #expect(try png([xmp]) == CopyrightNotice(creator: "X", rights: "Y"))
        let text = ("tEXt", Array("Author\0T".utf8))
        #expect(try png([text, xmp])?.creator == "X")
        let exif = ("eXIf", [UInt8](try #require(CopyrightNotice(creator: "E", rights: nil)).exif))
        #expect(try png([text, xmp, exif]) == CopyrightNotice(creator: "E", rights: "Y"))
    }
}
