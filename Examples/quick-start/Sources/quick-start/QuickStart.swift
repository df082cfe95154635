import Firn
import FoundationEssentials

/// Makes a thumbnail: `quick-start PATH-OR-URL OUT.png`.
@main
struct QuickStart {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: quick-start PATH-OR-URL OUT.png") }
        let source = arguments[1]

        // No more pixels are decoded than 256 x 256 need.
        let target = TargetSize(PixelSize(width: 256, height: 256))
        let request =
            source.contains("://")
            ? ImageRequest(url: source, targetSize: target) : ImageRequest(path: source, targetSize: target)

        let picture = try await ImagePipeline.shared.image(for: request)
        try PNGEncoder().encode(picture).write(to: URL(filePath: arguments[2]))
        print("\(source): \(picture.size)")
    }
}
