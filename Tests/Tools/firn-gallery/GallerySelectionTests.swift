#if GTK
import FirnSystem
import FoundationEssentials
import Testing

@testable import firn_gallery

/// Tests the selection of the built gallery, and what can be done with several images.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct GallerySelectionTests {
    private let folder: TestFolder
    private static let names = ["1.gif", "2.gif", "3.gif"]

    init() throws {
        folder = try TestFolder()
        for name in GallerySelectionTests.names { try folder.write(name, GallerySelectionTests.gif) }
    }

    @Test func `A key selects all images, of which the bar shows the number, and another selects none`() async throws {
        let all = try await open("Control+a")
        #expect(all.contains("\"selected\":3,\"selection\":\"3 selected\""), "\(all)")
        let none = try await open("Control+a,Escape")
        #expect(none.contains("\"selected\":0,\"selection\":\"\""), "\(none)")
    }

    @Test func `While images are selected by clicks, the bar stays and actions apply to selected ones only`()
        async throws
    {
        let none = try await open("s")
        #expect(none.contains("\"selected\":0,\"selection\":\"0 selected\""), "\(none)")
        let kept = try await open("s,Delete")
        #expect(kept.contains("\"selection\":\"0 selected\"") && files == GallerySelectionTests.names, "\(kept)")
        let left = try await open("s,Control+a,Escape")
        #expect(left.contains("\"selected\":0,\"selection\":\"\""), "\(left)")
    }

    @Test func `Deleting the selected images leaves nothing selected, and undo brings all of them back`() async throws {
        let deleted = try await open("Control+a,Delete")
        #expect(deleted.contains("\"right\":0,"), "\(deleted)")
        #expect(deleted.contains("\"selected\":0,\"selection\":\"\""), "\(deleted)")
        #expect(files == [])
        #expect(trashed == GallerySelectionTests.names)
        for name in GallerySelectionTests.names { try folder.write(name, GallerySelectionTests.gif) }
        try FileManager.default.removeItem(atPath: "\(folder.path)/.data")
        let restored = try await open("Control+a,Delete,Control+z")
        #expect(restored.contains("\"right\":3,"), "\(restored)")
        #expect(restored.contains("\"selected\":0,"), "\(restored)")
        #expect(files == GallerySelectionTests.names)
        #expect(trashed == [])
    }

    @Test func `A search keeps only the shown images selected, and in its field a key selects the text`() async throws {
        let one = try await open("Control+a,Control+f,2,Return,Escape")
        #expect(one.contains("\"selected\":1,\"selection\":\"\""), "\(one)")
        let none = try await open("Control+f,Control+a")
        #expect(none.contains("\"selected\":0,"), "\(none)")
    }

    @Test func `Enter opens the first result of a search at once`() async throws {
        let output = try await open("Control+f,2,Return")
        #expect(output.contains("\"line\":\"2.gif   1 of 1"), "\(output)")
    }

    @Test func `A button for undo is shown until its change is undone`() async throws {
        let deleted = try await open("Control+a,Delete")
        #expect(deleted.contains("\"undo\":true"), "\(deleted)")
        for name in GallerySelectionTests.names { try folder.write(name, GallerySelectionTests.gif) }
        let restored = try await open("Control+a,Delete,Control+z")
        #expect(restored.contains("\"undo\":false"), "\(restored)")
    }

    @Test func `The image that takes the place of a deleted one is not selected`() async throws {
        // With months, an arrow selects the image that it moves to.
        let one = try await open("Right,Left", "--sort", "date")
        #expect(one.contains("\"selected\":1,\"selection\":\"\""), "\(one)")
        let output = try await open("Right,Left,Delete", "--sort", "date")
        #expect(output.contains("\"selected\":0,\"selection\":\"\""), "\(output)")
        #expect(files.count == 2 && trashed.count == 1, "\(files) \(trashed)")
    }

    @Test(.enabled(if: access("/usr/share/locale/he/LC_MESSAGES/gtk40.mo", R_OK) == 0, "no Hebrew texts of GTK"))
    func `In a language from right to left, the left arrow leads to the next image`() async throws {
        let hebrew = ["LC_ALL=C.UTF-8", "LANGUAGE=he"]
        let shown = try await open("Left", "--view", variables: hebrew)
        #expect(shown.contains("\"line\":\"2.gif   2 of 3"), "\(shown)")
    }

    private var files: [String] { images(in: folder.path) }
    private var trashed: [String] { images(in: "\(folder.path)/.data/Trash/files") }

    private func images(in path: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".gif") }.sorted()
    }

    /// Opens the folder, presses keys, and returns the report.
    private func open(_ keys: String, _ more: String..., variables: [String] = []) async throws -> String {
        let arguments = ["--headless-open", folder.path, "--keys", keys] + more
        let variables = variables + ["XDG_DATA_HOME=\(folder.path)/.data", "XDG_CACHE_HOME=\(folder.path)/.cache"]
        return try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run("firn-gallery", arguments, on: display, variables: variables)
        }.output
    }

    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 200, 60, 60, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]
}
#endif
