import FirnTesting
import FoundationEssentials
import Testing

/// Tests `firn thumbnail`: names, output paths, sizes.
@Suite(.timeLimit(.minutes(5))) final class ThumbnailTests: CommandSuite {
    override init() throws {
        try super.init()
        try scratch.write("in/a.png", Images.png(400, 200))
        try scratch.write("in/deep/er/b.jpg", Images.jpeg(200, 400))
    }

    @Test("without options a thumbnail of 128 pixels lies beside each source, and a second run makes the same")
    func beside() throws {
        for _ in 0..<2 {
            let run = try firn.run(["thumbnail", "in", "--no-cache"], in: scratch)
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                scratch.files(below: "in") == [
                    "a.png", "deep", "deep/er", "deep/er/b.jpg", "deep/er/tn_b.jpg", "tn_a.jpg",
                ])
        }
        let info = try firn.run(["info", "--json", "in/tn_a.jpg", "in/deep/er/tn_b.jpg"], in: scratch)
        #expect(info.lines[0].contains(#""format":"jpeg","width":128,"height":64,"#))
        #expect(info.lines[1].contains(#""format":"jpeg","width":64,"height":128,"#))
    }

    @Test(
        "the name is a pattern, a folder that keeps the tree, or a file",
        arguments: [
            ("%s_thumb.jpg", ["in/a_thumb.jpg", "in/deep/er/b_thumb.jpg"]),
            ("t/%s.webp", ["in/t/a.webp", "in/deep/er/t/b.webp"]),
            ("ROOT/out/x_%s.png", ["out/x_a.png", "out/deep/er/x_b.png"]),
            ("thumbs", ["thumbs/a.png", "thumbs/deep/er/b.jpg"]),
        ])
    func names(name: String, files: [String]) throws {
        let out = name.replacing("ROOT", with: scratch.root)
        let run = try firn.run(["thumbnail", "in", "-s", "50", "-o", out, "--no-cache"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        for file in files { #expect(scratch.files().contains(file), "\(scratch.files())") }
    }

    @Test("a crop covers the rectangle")
    func crop() throws {
        let run = try firn.run(
            ["thumbnail", "in/a.png", "-s", "60x60", "--crop", "center", "-o", "c.png", "--no-cache"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try firn.run(["info", "--json", "c.png"], in: scratch).output.contains(#""width":60,"height":60,"#))
        #expect(try firn.run(["thumbnail", "in/a.png", "-s", "60x", "--crop", "center"], in: scratch).status == 2)
    }

    @Test("addresses are named after their last part, decoded")
    func addresses() throws {
        let server = try ScriptedServer()
        server.respond(to: "/p/snow%20peak.png", with: .body(try Images.png(300, 300)))
        let run = try firn.run(["thumbnail", server.url("/p/snow%20peak.png"), "--no-cache"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(scratch.files().contains("tn_snow peak.jpg"))
    }
}
