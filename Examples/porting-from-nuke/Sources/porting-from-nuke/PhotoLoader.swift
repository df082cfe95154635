import FirnMigration
import Foundation
import FoundationNetworking

/// Replaces a server, so that the example needs no network: returns one image for signed requests.
///
/// Unchanged from Nuke except for the protocol's name: `NukeDataLoading` instead of `DataLoading`.
struct PhotoLoader: NukeDataLoading {
    let image: Data

    func loadData(
        with request: URLRequest, didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        if let url = request.url, request.value(forHTTPHeaderField: "Authorization") != nil {
            let length = image.count
            didReceiveData(
                image, URLResponse(url: url, mimeType: nil, expectedContentLength: length, textEncodingName: nil))
            completion(nil)
        } else {
            completion(DataLoadingError(.status(401), "the server wants a signature"))
        }
        return Ended()
    }

    private final class Ended: Cancellable {
        func cancel() {}
    }
}
