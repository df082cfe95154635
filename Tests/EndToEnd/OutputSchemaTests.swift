import FoundationEssentials
import Testing

/// Tests that the page about JSON knows all fields.
@Suite final class OutputSchemaTests: CommandSuite {
    private func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(
            decoding: try Data(contentsOf: root.appending(path: "Documentation/CommandOutput.md")), as: UTF8.self)
    }

    @Test func `Every field that a command prints is documented`() throws {
        try scratch.write("d/a.png", Images.png(40, 30, alpha: true))
        try scratch.write("d/empty", Data())
        let jpeg = try Images.jpeg(60, 50)
        try scratch.write("cut.jpg", jpeg.prefix(jpeg.count / 2))
        let commands = [
            "info --exif d cut.jpg missing.png", "convert d --format jpeg -o out",
            "convert d --format jpeg -o out --newer", "convert d --format webp -o pages --pages",
            "convert d/a.png -o small.jpg --max-bytes 1000", "decode d/a.png -o decoded.png",
            "placeholder d/a.png", "compare d/a.png out/a.jpg", "load d cut.jpg --cache cache -o loaded --format jpeg",
            "thumbnail d --cache cache", "pyramid d --cache cache", "cache stats cache", "cache verify cache",
            "cache clear cache",
        ]
        let page = try page()
        for command in commands {
            let run = try firn.run(command.split(separator: " ").map(String.init) + ["--json"], in: scratch)
            let names = Set(run.output.matches(of: /"([A-Za-z0-9]+)":/).map { String($0.1) })
            #expect(!names.isEmpty, "\(command): \(run.errors)")
            for name in names.sorted() {
                #expect(page.contains("`\(name)`") || page.contains(".\(name)`"), "\(command): \(name)")
            }
        }
    }

    @Test func `JSON of the words of processors lists each processor once`() throws {
        let json = try firn.run(["processors", "--json"], in: scratch)
        let text = try firn.run(["processors"], in: scratch)
        struct Line: Decodable {
            struct Processor: Decodable { let syntax, summary: String }
            let processors: [Processor]
            let words: [String: [String]]
        }
        let line = try JSONDecoder().decode(Line.self, from: Data(json.output.utf8))
        #expect(!line.processors.isEmpty && !line.words.isEmpty)
        for processor in line.processors {
            #expect(text.lines.count { $0 == processor.syntax } == 1)
            #expect(text.lines.contains("    \(processor.summary)"))
        }
    }
}
