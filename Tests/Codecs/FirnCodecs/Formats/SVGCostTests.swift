#if SVG
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the bounds on what it costs to parse a drawing: the work of libraries grows with the product of two counts.
@Suite struct SVGCostTests {
    private static let start = "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='3'"

    private static func attributes(_ count: Int, _ prefix: String = "a") -> String {
        (0..<count).map { " \(prefix)\($0)='\($0)'" }.joined()
    }

    private static func declared(_ count: Int) -> String {
        "<!DOCTYPE svg [<!ATTLIST g\((0..<count).map { " a\($0) CDATA 'x'" }.joined())>]>"
    }

    private static func entity(_ text: String) -> String { "<!DOCTYPE svg [<!ENTITY e \"\(text)\">]>" }

    private func error(_ data: Data) throws -> ImageError? {
        let session = try session(data)
        return decodingError { _ = try session.properties() }
    }

    /// A drawing that is made when its test runs: the texts would fill the log.
    struct Sample: CustomTestStringConvertible {
        let testDescription: String
        let text: @Sendable () -> String

        init(_ name: String, _ text: @escaping @autoclosure @Sendable () -> String) {
            testDescription = name
            self.text = text
        }
    }

    @Test(arguments: [
        Sample("of an element", start + attributes(60_000) + "/>"),
        Sample("namespaces", start + attributes(60_000, "xmlns:a") + "/>"),
        Sample(
            "several elements", start + ">" + String(repeating: "<g\(attributes(20_000))/>", count: 7) + "</svg>"),
        Sample("declared for an element", declared(50_000) + start + "><g/></svg>"),
        Sample(
            "declared for several",
            declared(2_000) + start + ">" + String(repeating: "<g/>", count: 1_000) + "</svg>"),
        Sample(
            "an entity used often",
            entity("<g\(attributes(10_000))/>") + start + ">" + String(repeating: "&e;", count: 30) + "</svg>"),
        Sample("an entity", entity("&#60;g\(attributes(60_000))/>") + start + ">&e;</svg>"),
        Sample(
            "an entity in characters' numbers",
            entity("&#x3C;&#103;\(attributes(60_000).replacing("'", with: "&#39;"))/>") + start + ">&e;</svg>"),
    ])
    func `too many pairs of attributes are refused`(sample: Sample) throws {
        let text = sample.text()
        let found = try #require(try error(Data(text.utf8)))
        #expect(found.fault == .limit && found.message.contains("attributes"), "\(found.message)")
        let wide = try #require(text.data(using: .utf16LittleEndian))
        #expect(try error(wide)?.message == found.message)
    }

    @Test func `too many rules of style for the elements are refused, however they are written`() throws {
        let elements = String(repeating: "<g class='a'/>", count: 20_000)
        for style in [
            "<style>\(String(repeating: ".a{fill:red}", count: 10_000))</style>",
            "<s:style xmlns:s='http://www.w3.org/2000/svg'><![CDATA["
                + String(repeating: ".a{}", count: 10_000) + "]]></s:style>",
            "<style>\((0..<10_000).map { ".a\($0)" }.joined(separator: ",")){fill:red}</style>",
            String(repeating: "<style>.a{fill:red}</style>", count: 10_000),
        ] {
            let found = try #require(try error(Data((Self.start + ">" + style + elements + "</svg>").utf8)))
            #expect(found.fault == .limit && found.message.contains("rules"), "\(found.message)")
        }
        let entity = "<!DOCTYPE svg [<!ENTITY css \"\(String(repeating: ".a{}", count: 1_000))\">]>"
        let uses = "<style>\(String(repeating: "&css;", count: 20))</style>"
        let found = try error(Data((entity + Self.start + ">" + uses + elements + "</svg>").utf8))
        #expect(found?.message.contains("rules") == true)
    }

    @Test func `entities that make a million elements are refused`() throws {
        let entity = "<!DOCTYPE svg [<!ENTITY e \"\(String(repeating: "<g/>", count: 1_000))\">]>"
        let found = try error(Data((entity + Self.start + ">\(String(repeating: "&e;", count: 2_000))</svg>").utf8))
        #expect(found?.fault == .limit && found?.message.contains("entities") == true)
    }

    @Test(arguments: [
        Sample("attributes of an element", start + attributes(5_000) + "/>"),
        Sample("of many", start + ">" + String(repeating: "<g\(attributes(20))/>", count: 5_000) + "</svg>"),
        Sample(
            "rules",
            start + "><style>\(String(repeating: ".a{fill:red}", count: 500))</style>"
                + String(repeating: "<g class='a'/>", count: 5_000) + "</svg>"),
        // Scripts and texts hold what looks like attributes and rules.
        Sample(
            "a script",
            start + "><script><![CDATA[\(String(repeating: "if (a < b) { c='d' }", count: 30_000))]]></script>"
                + String(repeating: "<g/>", count: 10_000) + "</svg>"),
        Sample(
            "a text", start + "><desc>\(String(repeating: "a='b', {c} &amp; ", count: 30_000))</desc></svg>"),
        Sample("a comment", "<!--<g\(attributes(60_000))/>-->" + start + "/>"),
        Sample(
            "entities",
            "<!DOCTYPE svg [<!ENTITY ns 'http://example.org/'><!ENTITY nbsp '&#160;'>]>" + start
                + " a='&ns;'><desc>" + String(repeating: "&nbsp;", count: 5_000) + "</desc></svg>"),
    ])
    func `usual content of drawings is accepted`(sample: Sample) throws {
        #expect(try session(Data(sample.text().utf8)).properties()?.size == PixelSize(width: 4, height: 3))
    }
}
#endif
