import FirnData
import FirnImage
import FirnSync

// Tasks that want bytes and no image: `data(for:)`, prefetching into the data cache.
extension JobRunner {
    /// What tasks end with whose last step made `product`; `nil` for nothing.
    static func origin(of product: JobWork.Product) -> ImageResponse.Origin? {
        switch product {
        case .none, .arriving, .part, .pixels: nil
        case .image(let origin, _): origin
        case .bytes(let bytes):
            noImage.map {
                ImageResponse.Origin(
                    $0, bytes.response, bytes.cacheType, isStale: bytes.known?.isStale ?? false,
                    progress: bytes.progress,
                    bytes: { bytes.joined() })
            }
        }
    }

    /// Stands where a response must have an image and there is none.
    static let noImage: ImageContainer? =
        (try? Bitmap(size: PixelSize(width: 1, height: 1)) { _ in }).map { ImageContainer(image: $0) }

    /// The error of a task whose work came to nothing that the task can use.
    static func nothing(for request: ImageRequest) -> ImageLoadingError {
        guard request.wantsBytes else { return .cancelled(source: request.description) }
        return ImageLoadingError(
            .request, at: .loading, source: request.description, message: "its closure makes an image and has no bytes"
        )
    }

    /// Keeps bytes with which tasks end, if they begin as an image does: they are not decoded here, and the data cache
    /// holds nothing else.
    func keep(_ bytes: FetchedBytes, of request: ImageRequest) {
        guard bytes.mayStore, environment.dataCachePolicy != .storeEncodedImages,
            let head = try? bytes.head(ImageFormat.sniffLength),
            environment.decoder(head, bytes.response, for: request) != nil, bytes.takeStore()
        else { return }
        let call = state.withLock { state in
            guard !state.isClosed else { return IdleWorkers.Call.none }
            addStore(JobWork(storing: bytes, of: request), &state)
            return state.call()
        }
        perform(call)
    }
}
