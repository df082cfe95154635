import Firn
import FoundationEssentials

/// Makes a thumbnail: `quick-start PATH-OR-URL OUT.png`.
@main
struct QuickStart {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: quick-start PATH-OR-URL OUT.png") }
        do {
            print("\(arguments[1]): \(try await thumbnail(of: arguments[1], to: arguments[2]))")
        } catch {
            print("no thumbnail: \(error)")
        }
    }

    static func thumbnail(of source: String, to path: String) async throws -> PixelSize {
        // No more pixels are decoded than 256 x 256 need.
        let target = TargetSize(256)
        let request =
            source.contains("://")
            ? ImageRequest(url: source, targetSize: target) : ImageRequest(path: source, targetSize: target)

        let image = try await ImagePipeline.shared.image(for: request)
        try PNGEncoder().encode(image).write(to: URL(filePath: path))
        return image.size
    }
}
