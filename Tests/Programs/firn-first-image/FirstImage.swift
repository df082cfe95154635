import Firn
import FoundationEssentials

/// Loads one image by the shared pipeline, prints the cache that it came from, and ends at once; or downloads a file:
/// `firn-first-image URL [FILE]`.
@main
struct FirstImage {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let url = arguments.popFirst() else { return print("usage: firn-first-image URL [FILE]") }
        if let path = arguments.first {
            let pipeline = ImagePipeline(configuration: .ephemeral)
            try await pipeline.download(ImageRequest(url: url), to: URL(filePath: path))
        } else {
            let response = try await ImagePipeline.shared.imageTask(with: url).response
            print(response.cacheType?.rawValue ?? "source")
        }
    }
}
