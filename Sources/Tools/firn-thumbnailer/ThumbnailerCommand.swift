import FirnCodecs
import FirnData
import FirnReport
import FirnSystem
import FoundationEssentials

/// Makes the thumbnail of one file. File managers start it for each file, so most of its time is its launch.
///
/// It links no library for AVIF, HEIC, JPEG XL, TIFF and SVG, since loading them takes longer than decoding a
/// photograph. All formats are decoded by `firn-decoder` programs, each with the libraries of one format.
@main
enum ThumbnailerCommand {
    private static let usage = """
        OVERVIEW: Make a thumbnail of an image file, for file managers.

        Reads JPEG, PNG, GIF, WebP, AVIF, HEIC, JPEG XL, TIFF, SVG, BMP, ICO and QOI in a confined process, and writes
        PNG, whatever the name of the output. An image of fewer pixels is not enlarged.

        USAGE: firn-thumbnailer [--size <pixels>] <input> <output>

        OPTIONS:
          -s, --size <pixels>     The length of the longer side, 1 to 4096. (default: 128)
          --version               Show the version.
          -h, --help              Show help information.
        """

    static func main() {
        var side = 128
        var paths: [String] = []
        var words = SystemArguments.all[...]
        while let word = words.popFirst() {
            switch word {
            case "-h", "--help": return print(usage)
            case "--version": return StandardOutput.line(FirnVersion.current)
            case "-s", "--size":
                let value = words.popFirst() ?? ""
                guard let size = Int(value), 1...4096 ~= size else {
                    fail("--size is a number from 1 to 4096, not '\(value)'", status: 2)
                }
                side = size
            case "--":
                paths += words
                words = []
            case _ where word.hasPrefix("-"): fail("unknown option \(word); see --help", status: 2)
            default: paths.append(word)
            }
        }
        guard paths.count == 2 else { fail("needs an input and an output; see --help", status: 2) }
        do {
            // Links are followed, and all names of a file are equal.
            let files = paths.map { (try? LocalFileSystem().status($0))?.identity }
            if files[0] != nil, files[0] == files[1] {
                fail("\(paths[1]): is the input, which is not written over; name another output", status: 1)
            }
            let image = try Bitmap(
                blockingContentsOf: URL(localPath: paths[0]), targetSize: TargetSize(side), isolation: .all)
            let notes = try ImageError.file(paths[1], at: .writing) {
                try OutputFile.write(PNGEncoder().encode(image), to: paths[1])
            }
            StandardError.warn(paths[1], notes, by: "firn-thumbnailer")
            // The decoder ends when its socket closes. Waiting for it would take a tenth of the total time.
            _exit(0)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        StandardError.line("firn-thumbnailer: \(message)")
        exit(status)
    }
}
