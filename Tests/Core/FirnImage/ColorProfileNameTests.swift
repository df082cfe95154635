import FirnImage
import FoundationEssentials
import Testing

/// Tests the names that color profiles state for themselves.
@Suite struct ColorProfileNameTests {
    /// Returns a profile with one tag.
    private func profile(_ content: [UInt8], tag: String = "desc") throws -> ColorProfile {
        var bytes = [UInt8](try #require(ColorProfile.made()).icc.prefix(128))
        bytes += number(1) + Array(tag.utf8) + number(144) + number(content.count) + content
        return try #require(ColorProfile(icc: Data(bytes)))
    }

    private func number(_ value: Int, _ length: Int = 4) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func ascii(_ text: String) -> [UInt8] {
        Array("desc".utf8) + number(0) + number(text.utf8.count + 1) + Array(text.utf8) + [0]
    }

    private func languages(_ names: [(String, String)]) -> [UInt8] {
        var (records, texts): ([UInt8], [UInt8]) = ([], [])
        for (language, name) in names {
            let text = name.utf16.flatMap { number(Int($0), 2) }
            records += Array((language + "US").utf8) + number(text.count)
            records += number(16 + 12 * names.count + texts.count)
            texts += text
        }
        return Array("mluc".utf8) + number(0) + number(names.count) + number(12) + records + texts
    }

    @Test func `the name of version 2 is ASCII`() throws {
        #expect(try profile(ascii("Adobe RGB (1998)")).name == "Adobe RGB (1998)")
        #expect(try profile(ascii(" A\u{1B}\n B ")).name == "A B")
    }

    @Test func `the name of version 4 is in English, or else in the first language`() throws {
        #expect(try profile(languages([("de", "Grün"), ("en", "Green")])).name == "Green")
        #expect(try profile(languages([("de", "Grün"), ("fr", "Vert")])).name == "Grün")
    }

    @Test func `a profile without a name has none`() throws {
        #expect(try #require(ColorProfile.made()).name == nil)
        #expect(try profile(ascii("mine"), tag: "cprt").name == nil)
        #expect(try profile(ascii("")).name == nil)
        #expect(try profile(Array("text".utf8)).name == nil)
    }

    @Test func `every cut and every changed byte is read without harm`() throws {
        for content in [ascii("Some name"), languages([("en", "Green")])] {
            let whole = try profile(content).icc
            for length in 128...whole.count {
                #expect((ColorProfile(icc: whole.prefix(length))?.name?.count ?? 0) < 20)
            }
            for place in 128..<whole.count {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = whole
                    changed[place] = value
                    #expect((ColorProfile(icc: changed)?.name?.count ?? 0) < 20)
                }
            }
        }
    }
}
