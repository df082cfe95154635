import FirnCodecs
import FoundationEssentials

/// Writes a thumbnail, without a pipeline, cache or network: `thumbnail FILE OUT.png`.
@main
struct Thumbnail {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: thumbnail FILE OUT.png") }
        let (file, output) = (URL(filePath: arguments[1]), URL(filePath: arguments[2]))
        // snippet.task-thumbnail
        let image = try await Bitmap(contentsOf: file, targetSize: 256)
        try await image.write(to: output, quality: 0.8)
        // snippet.end
        print(image.size)
    }
}
