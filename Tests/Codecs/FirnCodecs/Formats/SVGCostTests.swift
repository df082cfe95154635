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

    private func error(_ data: Data) throws -> ImageDecodingError? {
        let session = try session(data)
        return decodingError { _ = try session.properties() }
    }

    @Test(
        "too many pairs of attributes are refused",
        arguments: [
            start + attributes(60_000) + "/>",
            start + attributes(60_000, "xmlns:a") + "/>",
            start + ">" + String(repeating: "<g\(attributes(20_000))/>", count: 7) + "</svg>",
            "<!DOCTYPE svg [<!ATTLIST g\((0..<50_000).map { " a\($0) CDATA 'x'" }.joined())>]>" + start + "><g/></svg>",
            "<!DOCTYPE svg [<!ATTLIST g\((0..<2_000).map { " a\($0) CDATA 'x'" }.joined())>]>" + start + ">"
                + String(repeating: "<g/>", count: 1_000) + "</svg>",
            "<!DOCTYPE svg [<!ENTITY e \"<g\(attributes(10_000))/>\">]>" + start + ">"
                + String(repeating: "&e;", count: 30) + "</svg>",
            "<!DOCTYPE svg [<!ENTITY e \"&#60;g\(attributes(60_000))/>\">]>" + start + ">&e;</svg>",
            "<!DOCTYPE svg [<!ENTITY e \"&#x3C;&#103;\(attributes(60_000).replacing("'", with: "&#39;"))/>\">]>" + start
                + ">&e;</svg>",
        ])
    func pairs(text: String) throws {
        let found = try #require(try error(Data(text.utf8)))
        #expect(found.fault == .limit && found.message.contains("attributes"), "\(found.message)")
        let wide = try #require(try error(Data(text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })))
        #expect(wide.message == found.message)
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

    @Test(
        "what drawings hold is not refused",
        arguments: [
            start + attributes(5_000) + "/>",
            start + ">" + String(repeating: "<g\(attributes(20))/>", count: 5_000) + "</svg>",
            start + "><style>\(String(repeating: ".a{fill:red}", count: 500))</style>"
                + String(repeating: "<g class='a'/>", count: 5_000) + "</svg>",
            // Scripts and texts hold what looks like attributes and rules.
            start + "><script><![CDATA[\(String(repeating: "if (a < b) { c='d' }", count: 30_000))]]></script>"
                + String(repeating: "<g/>", count: 10_000) + "</svg>",
            start + "><desc>\(String(repeating: "a='b', {c} &amp; ", count: 30_000))</desc></svg>",
            "<!--<g\(attributes(60_000))/>-->" + start + "/>",
            "<!DOCTYPE svg [<!ENTITY ns 'http://example.org/'><!ENTITY nbsp '&#160;'>]>" + start + " a='&ns;'><desc>"
                + String(repeating: "&nbsp;", count: 5_000) + "</desc></svg>",
        ])
    func drawings(text: String) throws {
        #expect(try session(Data(text.utf8)).properties()?.size == PixelSize(width: 4, height: 3))
    }
}
#endif
