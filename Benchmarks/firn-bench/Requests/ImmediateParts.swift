import Firn
import FoundationEssentials

/// A loader that has the bytes at once, so that only the engine's own cost remains.
struct ImmediateLoader: DataLoading {
    let data: Data

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        receive(.chunk(data))
        receive(.end(nil))
        return Ended()
    }

    private struct Ended: DataTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
    }
}

/// A decoder that has the image at once.
struct ImmediateDecoder: ImageDecoding {
    let image: Bitmap

    func recognizes(_ head: Data) -> ImageFormat? { .png }

    func makeSession(
        limits: ImageLimits, cancellation: CancellationFlag
    ) -> any ImageDecodingSession { Session(image: image) }

    private final class Session: ImageDecodingSession {
        let image: Bitmap
        init(image: Bitmap) { self.image = image }
        func append(_ data: Data) {}
        func finish() {}
        func properties() -> ImageProperties? { ImageProperties(format: .png, size: image.size) }
        func workingBytes(for options: DecodingOptions) -> Int { image.cost }
        func decode(_ options: DecodingOptions) -> Bitmap { image }
    }
}
