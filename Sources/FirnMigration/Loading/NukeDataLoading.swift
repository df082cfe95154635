public import Firn
import Foundation
public import FoundationNetworking

/// Running work that can be cancelled.
public protocol Cancellable: AnyObject, Sendable {
    /// Ends it.
    func cancel()
}

/// A loader that was written for Nuke, with two callbacks.
///
/// Replace `DataLoading` by `NukeDataLoading` in the type's declaration; it then is a ``/FirnData/DataLoading``. A
/// status that is none of success is the loader's affair, as it is in Nuke; a pause of the pipeline is noticed by the
/// pipeline alone.
public protocol NukeDataLoading: DataLoading {
    /// Starts to load.
    ///
    /// - Parameters:
    ///   - didReceiveData: called with each chunk and the response.
    ///   - completion: called once, with an error if the body did not arrive whole.
    func loadData(
        with request: URLRequest, didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable
}

extension NukeDataLoading {
    /// Starts a transfer whose events are the two callbacks'.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        CallbackRelay.transfer(request, receive) { sent, relay in
            loadData(with: sent, didReceiveData: { relay.receive($0, $1) }, completion: { relay.complete($0) })
        }
    }
}

extension DataLoading {
    /// Advice for a loader that was written for Nuke.
    @available(
        *, unavailable,
        message: """
            conform to NukeDataLoading (two callbacks) or NukeStreamLoading (async), or implement \
            startLoading(_:receive:)
            """
    )
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer { CallbackRelay(receive) }
}
