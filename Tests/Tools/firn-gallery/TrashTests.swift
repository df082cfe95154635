#if GTK
import FirnData
import FirnSystem
import FoundationEssentials
import Testing

@testable import firn_gallery

/// Tests the trash of the gallery.
@Suite struct TrashTests {
    private let folder: TestFolder
    private let trash: Trash

    init() throws {
        folder = try TestFolder()
        trash = Trash(data: folder.path + "/data")
    }

    private func text(_ name: String) -> String? {
        (try? Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A file in the trash has a record by which file managers bring it back`() throws {
        try folder.write("100% näh.png", Array("a".utf8))
        _ = try trash.move("\(folder.path)/100% näh.png", at: 1_784_635_200)
        #expect(text("100% näh.png") == nil)
        #expect(text("data/Trash/files/100% näh.png") == "a")
        let record = "[Trash Info]\nPath=\(folder.path)/100%25%20n%C3%A4h.png\nDeletionDate=2026-07-21T12:00:00\n"
        #expect(text("data/Trash/info/100% näh.png.trashinfo") == record)
    }

    @Test(arguments: [String(repeating: "ä", count: 125) + ".jpg", "\u{10FFFF}\u{10FFE9}.png"])
    func `A long name, and one that is not UTF-8, goes to the trash and comes back`(_ name: String) throws {
        for content in ["1", "2"] {
            try LocalFileSystem().create("\(folder.path)/\(name)", [Data(content.utf8)])
            _ = try trash.move("\(folder.path)/\(name)")
        }
        try LocalFileSystem().create("\(folder.path)/\(name)", [Data("3".utf8)])
        let entry = try trash.move("\(folder.path)/\(name)")
        let files = LocalFileSystem()
        let (kept, records) = try (
            files.list("\(folder.path)/data/Trash/files"), files.list("\(folder.path)/data/Trash/info")
        )
        #expect(Set(records) == Set(kept.map { "\($0).trashinfo" }) && kept.count == 3)
        #expect(kept.contains(name) == name.hasSuffix(".png"))
        let record = try #require(records.first)
        let text = String(decoding: try files.read("\(folder.path)/data/Trash/info/\(record)"), as: UTF8.self)
        let path = PercentEncoding.encoded(SystemPath.bytes("\(folder.path)/\(name)"), keeping: "/")
        #expect(text.contains("Path=\(path)\n"))
        try trash.restore(entry)
        #expect(try files.read("\(folder.path)/\(name)") == Data("3".utf8))
    }

    @Test func `Files of one name are all kept, and each comes back to its place`() throws {
        var entries: [Trash.Entry] = []
        for content in ["1", "2", "3"] {
            try folder.write("a.png", Array(content.utf8))
            entries.append(try trash.move("\(folder.path)/a.png"))
        }
        try trash.restore(entries[1])
        #expect(text("a.png") == "2")
        #expect(text("data/Trash/info/a.png.2.trashinfo") == nil)
        #expect(text("data/Trash/files/a.png") == "1")
        #expect(text("data/Trash/files/a.png.3") == "3")
    }

    @Test func `A moved file, a renamed one and a copy never replace another file, and are undone`() throws {
        try folder.write("a.png", Array("a".utf8))
        try folder.write("b.png", Array("b".utf8))
        let (a, b, c) = ("\(folder.path)/a.png", "\(folder.path)/b.png", "\(folder.path)/c.png")
        for copies in [false, true] {
            #expect(throws: DataFileError.self) { try FileChange.make(a, to: b, copies: copies) }
            #expect(text("a.png") == "a" && text("b.png") == "b")
            let change = try FileChange.make(a, to: c, copies: copies)
            #expect(text("c.png") == "a")
            #expect((text("a.png") == nil) == !copies && (change.removed == nil) == copies)
            try change.undo(trash)
            #expect(text("a.png") == "a" && text("c.png") == nil)
        }
        #expect(text("data/Trash/files/c.png") == "a")
    }

    @Test(arguments: ["", ".", "..", "a/b", String(repeating: "ä", count: 128)])
    func `A file cannot get a name that is empty, too long or of another folder`(_ name: String) {
        #expect(!FileChange.isName(name))
        #expect(FileChange.isName("a b.png"))
    }

    @Test func `A file that comes back never replaces another one`() throws {
        try folder.write("a.png", Array("old".utf8))
        let entry = try trash.move("\(folder.path)/a.png")
        try folder.write("a.png", Array("new".utf8))
        #expect(throws: DataFileError.self) { try trash.restore(entry) }
        #expect(text("a.png") == "new")
        #expect(text("data/Trash/files/a.png") == "old")
        #expect(text("data/Trash/info/a.png.trashinfo") != nil)
    }

    @Test func `A file that cannot be moved stays, without a record`() throws {
        try folder.write("data", Array("in the way".utf8))
        try folder.write("a.png", Array("a".utf8))
        let blocked = Trash(data: folder.path + "/data", user: getuid() + 1)
        #expect(throws: DataFileError.self) { try blocked.move("\(folder.path)/a.png") }
        #expect(text("a.png") == "a")
        #expect(throws: DataFileError.self) { try trash.move("\(folder.path)/nowhere.png") }
    }
}
#endif
