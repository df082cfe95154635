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
    func `A document with the root element svg is recognized`(text: String) {
        #expect(ImageFormat(Data(text.utf8)) == .svg)
    }

    @Test(arguments: [
        "", "svg", "<html><svg>", "<!DOCTYPE html><html>", "<!DOCTYPE svg [<svg>", "<!DOCTYPE svg [ ] x <svg>",
        "<!-- <svg>", "<svgx>",
    ])
    func `Others are none`(text: String) {
        #expect(ImageFormat(Data(text.utf8)) == nil)
    }

    @Test func `A prolog longer than the bytes counts as a drawing's if it can be one`() {
        let long = String(repeating: "x ", count: ImageFormat.sniffLength)
        for start in ["<!--", "<?xml version='1.0'?><!--", "<?x ", "<!DOCTYPE svg [<!ENTITY a '"] {
            #expect(ImageFormat(Data((start + long).utf8).prefix(ImageFormat.sniffLength)) == .svg, "\(start)")
            #expect(ImageFormat(Data((start + long).utf8).prefix(ImageFormat.sniffLength - 1)) == nil, "\(start)")
        }
        for start in ["", "<", "<!DOCTYPE html [<!ENTITY a '", "<?php ", "<?= ", "<html><!--", "{ <!--"] {
            #expect(ImageFormat(Data((start + long).utf8).prefix(ImageFormat.sniffLength)) == nil, "\(start)")
        }
        #expect(ImageFormat(Data(("<!--" + long + "--><html>").utf8)) == nil)
        #expect(ImageFormat(Data(("<!--" + long + "--><svg>").utf8)) == .svg)
    }

    @Test func `UTF-16 of both orders is recognized, with and without a mark`() {
        for mark in ["", "\u{FEFF}"] {
            for (text, format) in [("<svg>", .svg), ("<?xml?>\n<a:svg/>", .svg), ("<html>", nil)]
                as [(String, ImageFormat?)]
            {
                let units = Array((mark + text).utf16)
                #expect(ImageFormat(Data(units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })) == format)
                #expect(ImageFormat(Data(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })) == format)
            }
        }
    }
}
