import Firn

/// Loads an image and writes it as a PNG file: `quick-start PATH-OR-URL OUT.png`.
@main
struct QuickStart {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: quick-start PATH-OR-URL OUT.png") }
        let source = arguments[1]
        let photo = source.contains("://") ? ImageRequest(url: source) : ImageRequest(path: source)
        do {
            let image = try await ImagePipeline.shared.image(for: photo)
            try await image.write(toPath: arguments[2])
            print("\(source): \(image.size)")
        } catch {
            print("no image: \(error)")
        }
    }
}
