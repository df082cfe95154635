import FirnCodecs

/// Writes a thumbnail with round corners: `thumbnail FILE OUT.png`. Needs no pipeline, no cache and no network.
@main
struct Thumbnail {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: thumbnail FILE OUT.png") }
        let image = try await Bitmap(contentsOf: arguments[1], fitting: 256)
        try await image.applying([.roundedCorners(radius: 8)]).write(to: arguments[2])
        print(image.size)
    }
}
