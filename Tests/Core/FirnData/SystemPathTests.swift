import FirnData
import FoundationEssentials
import FirnPipeline
import FirnTesting
import Testing

/// Tests paths that are not UTF-8.
@Suite struct SystemPathTests {
    @Test func `any bytes come back as they were, from a text that does not name another file`() {
        var random = SeededGenerator(seed: 7)
        var texts: [String: [UInt8]] = [:]
        let special: [[UInt8]] = [
            [0xFF], [0x80], [0xC3], [0xE2, 0x82], [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBE, 0x80],
            [0xED, 0xA0, 0x80],
            [0xC0, 0xAF], Array("é.png".utf8), Array("🏔.jpg".utf8), [0x61, 0xFF, 0x62, 0xC3, 0xA9], [],
        ]
        let made = (0..<2000).map { _ in
            (0..<Int.random(in: 1...9, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
        }
        for bytes in special + made {
            let text = SystemPath.text(bytes)
            #expect(SystemPath.bytes(text) == bytes)
            if let other = texts.updateValue(bytes, forKey: text) { #expect(other == bytes) }
        }
    }

    @Test func `names in UTF-8 are their text`() {
        for name in ["a.png", "é.png", "снег.jpg", "雪.webp", "🏔"] {
            #expect(SystemPath.text(Array(name.utf8)) == name)
            #expect(SystemPath.isText(name))
        }
        #expect(!SystemPath.isText(SystemPath.text([0x61, 0xFF])))
    }

    @Test func `a file: address names bytes, not text`() {
        let path = SystemPath.text(Array("/tmp/a".utf8) + [0xFF, 0xE9] + Array(".png".utf8))
        #expect(FileAddress.url(ofPath: path) == "file:///tmp/a%FF%E9.png")
        #expect(FileAddress.path(of: "file:///tmp/a%FF%E9.png") == path)
        #expect(URL(localPath: path).localPath == path)
        #expect(URL(localPath: "~/a").localPath == "~/a" && URL(filePath: "/a/b//").localPath == "/a/b")
        #expect(URL(localPath: "/").localPath == "/" && URL(string: "https://example.org/a")?.localPath == nil)
    }
}
