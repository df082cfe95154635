import Firn
import FoundationEssentials

/// Loads an image through a custom loader, without HTTP: `own-loader FILE OUT.png`.
@main
struct OwnLoader {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: own-loader FILE OUT.png") }
        let loader = ShelfLoader(shelf: ["shelf:photo": try Data(contentsOf: URL(filePath: arguments[1]))])
        let pipeline = ImagePipeline {
            $0.dataLoader = loader
            $0.dataCache = nil  // the shelf is in memory
        }

        let image = try await pipeline.image(for: "shelf:photo")
        try ImageEncoders.png().encode(image).write(to: URL(filePath: arguments[2]))
        print("shelf:photo: \(image.size)")
        do {
            _ = try await pipeline.image(for: "https://example.org/photo.jpg")
        } catch {
            print("https: \(error.fault)")
        }
    }
}

/// Serves `shelf:` addresses from memory.
struct ShelfLoader: DataLoading {
    let shelf: [String: Data]

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        if let data = shelf[request.url] {
            receive(.response(DataResponse(url: request.url, expectedLength: data.count)))
            receive(.chunk(data))
            receive(.end(nil))
        } else {
            receive(.end(DataLoadingError(.unreadable, "there is no image with this name")))
        }
        return EndedTransfer()
    }

    /// A transfer that ends before it is returned.
    private struct EndedTransfer: DataTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
    }
}
