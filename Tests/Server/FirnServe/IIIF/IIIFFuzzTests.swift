import FirnImage
@testable import FirnServe
import FirnTesting
import Testing

/// Random requests of a fixed seed.
@Suite struct IIIFFuzzTests {
    static let words = [
        "full", "square", "max", "pct:", "^", "!", ",", ".", "0", "1", "99", "100", "1000", "2147483647", "/", "%",
        "%2F",
        "%5E", "%00", "%FF", "[", "]", "<", "\\", "-", "+", "e", "é", "default", "color", "gray", "jpg", "png",
        "info.json",
        "90", "..", "?", "#", " ",
    ]

    @Test func `random targets never trap`() throws {
        var random = SeededGenerator(seed: 1)
        var read = 0
        for _ in 0..<20_000 {
            var target = ["/iiif/", "/iiif2/"].randomElement(using: &random) ?? ""
            for _ in 0..<Int.random(in: 0..<14, using: &random) {
                target += Self.words.randomElement(using: &random) ?? ""
            }
            do throws(ServeError) {
                if try IIIFParser().parse(target: target) != nil { read += 1 }
            } catch {
                #expect([400, 404].contains(error.status))
            }
            _ = try? ViewerPage.resource(target: target.replacing("/iiif/", with: "/view/"))
        }
        #expect(read > 500)
    }

    @Test func `results stay within the limits and canonical forms are fixed points`() throws {
        var random = SeededGenerator(seed: 2)
        let numbers = ["0", "1", "2", "7", "99", "100", "512", "1000", "4096", "33.3333", "0.01", "250", "65536"]
        func number() -> String { numbers.randomElement(using: &random) ?? "" }
        var planned = 0
        for _ in 0..<20_000 {
            let region = [
                "full", "square", "\(number()),\(number()),\(number()),\(number())",
                "pct:\(number()),\(number()),\(number()),\(number())",
            ].randomElement(using: &random)
            let version = IIIFVersion.allCases.randomElement(using: &random) ?? .three
            let size = [
                "max", version == .two ? "full" : "max", "\(number()),", ",\(number())", "pct:\(number())",
                "\(number()),\(number())",
                "!\(number()),\(number())",
            ].randomElement(using: &random)
            let mark = version == .two ? "" : ["", "^"].randomElement(using: &random)
            let turn = ["0", "90", "!180", "360", "!270"].randomElement(using: &random)
            let parameters = "\(region ?? "")/\(mark ?? "")\(size ?? "")/\(turn ?? "")/color.png"
            let area = [nil, 1, 5000, 1_000_000].randomElement(using: &random) ?? nil
            let side = [nil, 1, 300, 5000].randomElement(using: &random) ?? nil
            let settings = IIIFCase.limited(side: side ?? IIIFNumber.maximum, area: area ?? .max)
            let width = [1, 3, 640, 10_000, 2_147_483_647].randomElement(using: &random) ?? 1
            let height = [1, 5, 480, 7777, 2_147_483_647].randomElement(using: &random) ?? 1
            guard let plan = try? IIIFCase.plan(parameters, width, height, settings, version: version) else { continue }
            planned += 1
            #expect(plan.size.width >= 1 && plan.size.height >= 1)
            #expect(plan.size.width <= side ?? Int.max && plan.size.height <= side ?? Int.max)
            #expect(plan.size.width.multipliedReportingOverflow(by: plan.size.height).partialValue <= area ?? Int.max)
            #expect(
                plan.region.x >= 0 && plan.region.size.width >= 1 && plan.region.x <= width - plan.region.size.width)
            #expect(
                plan.region.y >= 0 && plan.region.size.height >= 1 && plan.region.y <= height - plan.region.size.height)
            #expect(
                mark == "^" || version == .two
                    || plan.size.width <= plan.region.size.width && plan.size.height <= plan.region.size.height)
            let again = try IIIFCase.plan(plan.canonical, width, height, settings, version: version)
            #expect(again == plan, "\(parameters) \(width)x\(height)")
            // The same pixels have the same key in the other version.
            let sides = "\(plan.size.width),\(plan.size.height)"
            let ends = plan.canonical.split(separator: "/")
            let (first, rest) = (try #require(ends.first), ends.dropFirst(2).joined(separator: "/"))
            let other =
                version == .two
                ? try IIIFCase.plan("\(first)/^\(sides)/\(rest)", width, height, settings, version: .three)
                : try IIIFCase.plan("\(first)/\(sides)/\(rest)", width, height, settings, version: .two)
            #expect(other.key == plan.key && other.rendering.region == plan.rendering.region)
        }
        #expect(planned > 2000)
    }
}
