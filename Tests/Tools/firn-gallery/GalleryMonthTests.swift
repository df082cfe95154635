#if GTK
import FoundationEssentials
import Testing

@testable import firn_gallery

/// Tests the built gallery where images have months as headings.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct GalleryMonthTests {
    private let folder: TestFolder

    /// Writes the images of five months: a heading, and one or two rows each.
    init() throws {
        folder = try TestFolder()
        for (month, count) in [3, 4, 3, 2, 2].enumerated() {
            for number in 0..<count {
                let name = "\(month)-\(number).gif"
                try folder.write(name, GalleryMonthTests.gif)
                let date = Date(timeIntervalSince1970: 1_700_000_000 - Double(month) * 2_700_000)
                try FileManager.default.setAttributes(
                    [.modificationDate: date], ofItemAtPath: "\(folder.path)/\(name)")
            }
        }
    }

    @Test(arguments: [560, 600, 640, 680, 700, 720])
    func `No row below a narrow window counts as visible`(_ height: Int) async throws {
        let folder = folder.path
        let output = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            // The list scrolls to its end and back, after which its rows are measured as they are on the screen.
            return try ScenePlayer.run(
                "firn-gallery",
                [
                    "--headless-open", folder, "--sort", "date", "--size", "360x\(height)", "--keys",
                    "Right,Left,End,Home",
                ], on: display, variables: ["XDG_CACHE_HOME=\(folder)/.cache"])
        }.output
        #expect(output.contains("\"outside\":0,"), "\(output)")
        #expect(!output.contains("\"allMs\":null"), "\(output)")
    }

    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 200, 60, 60, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]
}
#endif
