import FirnImage
import FoundationEssentials
import Testing

/// Tests the recognition of SVG, which has no signature.
struct FormatSniffingTests {
    @Test(arguments: [
        "<svg/>", "\u{FEFF}<svg>", " <?xml version='1.0'?>\n<!-- > --><svg\n>", "<svg:svg>",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'svg11.dtd'><svg>",
        "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>", "<!DOCTYPE svg [<!ENTITY a 'b'>]\n><svg>",
        "<!DOCTYPE svg [<!ENTITY a 'b'>\n] \r\n\t><svg>", "<!DOCTYPE svg [<!ENTITY a '[b] c'>]  >\n<svg>",
    ])
    func `A document whose element is svg is one`(text: String) {
        #expect(ImageFormat.sniff(Data(text.utf8)) == .svg)
    }

    @Test(arguments: [
        "", "svg", "<html><svg>", "<!DOCTYPE html><html>", "<!DOCTYPE svg [<svg>", "<!DOCTYPE svg [ ] x <svg>",
        "<!-- <svg>", "<svgx>",
    ])
    func `Others are none`(text: String) {
        #expect(ImageFormat.sniff(Data(text.utf8)) == nil)
    }
}
