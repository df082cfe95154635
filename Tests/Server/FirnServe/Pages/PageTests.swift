@testable import FirnServe
import Testing

@Suite struct PageTests {
    static func body(_ target: String) throws -> String {
        try #require(try ViewerPage.resource(target: target)).body
    }

    @Test func `identifiers are escaped in the page`() throws {
        let page = try Self.body("/view/a%2F%22%3E%3Cscript%3Ealert('1')%26.jpg?x")
        #expect(page.contains("<title>a/&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&amp;.jpg</title>"))
        #expect(page.contains("aria-label=\"Image a/&quot;&gt;&lt;script&gt;"))
        #expect(page.contains("data-image=\"../iiif/a%2F%22%3E%3Cscript%3Ealert%28%271%27%29%26.jpg\""))
        #expect(page.components("<script") == 2)
    }

    @Test func `pages have no inline code and no remote parts`() throws {
        let page = try Self.body("/view/a")
        for forbidden in ["<style", " style=", " onclick", " onload", "javascript:", "//", "<base", "<iframe"] {
            #expect(!page.contains(forbidden), "\(forbidden)")
        }
        #expect(page.contains("<script src=\"../view-assets/viewer.js\" defer></script>"))
        let script = try Self.body("/view-assets/viewer.js")
        for forbidden in ["eval(", "Function(", "innerHTML", "http:", "https:", "setAttribute", "document.write"] {
            #expect(!script.contains(forbidden), "\(forbidden)")
        }
        #expect(!(try Self.body("/view-assets/viewer.css")).contains("url("))
    }

    @Test func `assets that the page names exist`() throws {
        let page = try Self.body("/view/a")
        let cases = [
            ("viewer.js", "text/javascript; charset=utf-8"), ("viewer.css", "text/css; charset=utf-8"),
        ]
        for (name, type) in cases {
            #expect(page.contains("\"../view-assets/\(name)\""))
            let asset = try #require(try ViewerPage.resource(target: "/view-assets/\(name)"))
            #expect(asset.mediaType == type && asset.isConstant && !asset.body.isEmpty)
        }
    }

    @Test func `the policy allows the server alone`() throws {
        let page = try #require(try ViewerPage.resource(target: "/view/a"))
        #expect(page.policy.hasPrefix("default-src 'none'; script-src 'self';"))
        #expect(!page.policy.contains("unsafe") && !page.policy.contains("*") && !page.policy.contains("data:"))
    }

    @Test(arguments: ["/view/..", "/view/", "/view/a/b", "/view/%00", "/view/%2Fetc", "/view/a%2F..%2Fb"])
    func invalidIdentifiersHaveNoPage(target: String) {
        #expect(throws: ServeError.self) { try ViewerPage.resource(target: target) }
    }

    @Test(
        arguments: ["/", "/view", "/view-assets/", "/view-assets/x.js", "/view-assets/viewer.js/", "/iiif/a"]
    )
    func `other targets are left alone`(target: String) throws {
        #expect(try ViewerPage.resource(target: target) == nil)
    }

    @Test func `the image is below the prefix of images`() throws {
        let page = try #require(try ViewerPage.resource(target: "/view/a%2Fb"))
        #expect(page.body.contains("data-image=\"../iiif/a%2Fb\""))
    }
}

extension String {
    /// The number of parts between occurrences of `separator`.
    func components(_ separator: String) -> Int { split(separator: separator, omittingEmptySubsequences: false).count }
}
