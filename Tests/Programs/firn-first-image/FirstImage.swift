import Firn

/// Loads one image by the shared pipeline, prints the cache that it came from, and ends at once: `firn-first-image URL`.
@main
struct FirstImage {
    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first else { return print("usage: firn-first-image URL") }
        let response = try await ImagePipeline.shared.imageTask(with: url).response
        print(response.cacheType?.rawValue ?? "source")
    }
}
