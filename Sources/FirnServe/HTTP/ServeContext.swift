package import Hummingbird
package import NIOCore

/// The context of a request, with the client's address.
package struct ServeContext: RequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    /// What is learned about the request.
    let note = RequestNote()

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// The address that limits count by; of IPv6 the network.
    var client: String { remoteAddress?.ipAddress ?? "unknown" }
}
