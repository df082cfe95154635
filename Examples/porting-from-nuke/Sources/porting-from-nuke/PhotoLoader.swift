import Firn
import FoundationEssentials

/// Takes the place of a server, so that the example needs no network: has one image, for who is signed in.
struct PhotoLoader: DataLoading {
    let image: Data

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        if request.headers["Authorization"] == nil {
            receive(.end(DataLoadingError(.status(401), "the server wants a signature")))
        } else {
            receive(.response(DataResponse(url: request.url, status: 200, expectedLength: image.count)))
            receive(.chunk(image))
            receive(.end(nil))
        }
        return Transfer()
    }

    private struct Transfer: DataTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
    }
}
