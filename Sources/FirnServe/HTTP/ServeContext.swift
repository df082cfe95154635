import FirnSync
package import Hummingbird
package import NIOCore

/// The context of a request, with the client's address.
package struct ServeContext: RequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    /// What is learned about the request.
    let note = RequestNote()
    /// The condition for the same response to a later request; `nil` if it is made for this request alone.
    let condition = Locked<ResponseCondition?>(nil)
    /// Whether the client still waits; `nil` if that is not known.
    var presence: ClientPresence?
    /// The connection.
    let connection: ObjectIdentifier

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        connection = ObjectIdentifier(source.channel)
    }

    /// The address that limits count by; of IPv6 the network.
    var client: String { remoteAddress?.ipAddress ?? "unknown" }
}
