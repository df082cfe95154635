import ArgumentParser
import Firn
import FirnReport
import FirnSystem

/// `firn gallery`: shows images in a window. Executes `firn-gallery`, a separate program, so that this one does not
/// need GTK.
struct GalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery", abstract: "Show images in a window (needs GTK 4).",
        discussion: """
            Starts firn-gallery from the folder of firn or from PATH. firn-gallery --help lists its options.

            EXAMPLE
              firn gallery ~/Images
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "Images, folders, addresses, @LIST, and options of firn-gallery.")
    var arguments: [String] = []

    func run() throws {
        let name = "firn-gallery"
        let beside = GalleryCommand.folder.map { PathText.join($0, name) }
        let program = beside.flatMap { path in path.withSystemPath { access($0, X_OK) } == 0 ? path : nil } ?? name
        let words = ([program] + arguments).map { word in word.withSystemPath { strdup($0) } } + [nil]
        execvp(program, words)
        // Reached only if it could not be started.
        let reason = String(cString: strerror(errno))
        words.forEach { free($0) }
        StandardError.line("firn: cannot start firn-gallery: \(reason)")
        throw ExitCode.someFailed
    }

    /// The folder of this executable.
    private static var folder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        return PathText.split(SystemPath.text(buffer.prefix(count).map { UInt8(bitPattern: $0) })).folder
    }
}
