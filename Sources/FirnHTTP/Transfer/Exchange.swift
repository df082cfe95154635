import AsyncHTTPClient
import FirnData
import NIOCore
import NIOHTTP1

/// One request and its response, as the HTTP client reports them. A transfer has one exchange for itself, one for
/// each redirect, and one for each retry.
///
/// After the transfer has released the exchange, the rest of a short body is read and discarded, so that the
/// connection can be reused.
///
/// Safety: the transfer's event loop guards all mutable state: the client calls its delegate there, and the transfer
/// its exchange.
final class Exchange: HTTPClientResponseDelegate, ConnectionListener, @unchecked Sendable {
    typealias Response = Void

    /// Maximum number of bytes that are read to keep a connection.
    private static let drainLimit = 64 << 10
    private static let drainTime = TimeAmount.seconds(2)

    let key: ClientKey
    private let limits: TransferGuard
    private let client: PooledClient
    private let registry: ConnectionRegistry
    // Safety: used on the transfer's event loop only.
    private var transfer: HTTPTransfer?
    private var task: HTTPClient.Task<Void>?
    private var ticket: String?
    private var drained = 0
    private(set) var startedAt = NIODeadline.now()
    /// The connection of the request, once it was sent.
    private(set) var connection: ConnectionFacts?
    private(set) var isReused = false
    private(set) var wireBytes = 0
    private(set) var hasHead = false

    init(
        _ transfer: HTTPTransfer, _ key: ClientKey, _ limits: TransferGuard, _ client: PooledClient,
        _ registry: ConnectionRegistry
    ) {
        self.limits = limits
        self.transfer = transfer
        self.key = key
        self.client = client
        self.registry = registry
    }

    func start(_ request: HTTPClient.Request, on eventLoop: any EventLoop) {
        var request = request
        let ticket = registry.register(self)
        self.ticket = ticket
        request.headers.add(name: ConnectionRegistry.field, value: ticket)
        startedAt = .now()
        let task = client.http.execute(request: request, delegate: self, eventLoop: .delegate(on: eventLoop))
        self.task = task
        // Failures that the client does not report to its delegate. The others were reported before.
        task.futureResult.whenFailure { self.failed($0) }
    }

    /// Ends the exchange and closes its connection. The transfer receives no more events.
    func abandon() {
        transfer = nil
        unregister()
        task?.cancel()
    }

    /// Reads and discards the rest if it is short. The transfer receives no more events.
    func drain(announced: Int?) {
        transfer = nil
        guard let task else { return }
        guard announced.map({ $0 <= Exchange.drainLimit }) ?? true else { return task.cancel() }
        let deadline = task.eventLoop.scheduleTask(in: Exchange.drainTime) { task.cancel() }
        task.futureResult.whenComplete { _ in deadline.cancel() }
    }

    func willSend(over connection: ConnectionFacts) -> DataLoadingError? {
        ticket = nil
        // The final check: the address of the actual peer, whatever was resolved.
        if key.proxy == nil, !limits.isOpen, let address = connection.remoteAddress.flatMap({ NetworkAddress($0) }),
            let refusal = limits.refusal(of: address)
        {
            return refusal
        }
        self.connection = connection
        isReused = connection.uses > 1
        return nil
    }

    func didReceiveWireBytes(_ count: Int) { wireBytes += count }

    func didSendRequest(task: HTTPClient.Task<Void>) { transfer?.requestSent() }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        hasHead = true
        return transfer?.received(head) ?? task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        if let transfer { return transfer.received(buffer) ?? task.eventLoop.makeSucceededVoidFuture() }
        drained += buffer.readableBytes
        if drained > Exchange.drainLimit { task.cancel() }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) { failed(error) }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        let transfer = transfer
        self.transfer = nil
        transfer?.finished()
    }

    private func failed(_ error: any Error) {
        let transfer = transfer
        self.transfer = nil
        unregister()
        transfer?.failed(error)
    }

    private func unregister() {
        if let ticket { registry.unregister(ticket) }
        ticket = nil
    }
}
