import NIOCore

/// A connection to one node. Commands are pipelined, and messages arrive between replies.
///
/// A late reply closes the connection, because later replies could not be told apart from it. All commands in flight
/// then fail.
final class RedisConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    // Safety: all state is accessed on the event loop only.
    private enum Pending {
        /// The reply to the last command of a call; without a promise, to an earlier one.
        case reply(EventLoopPromise<RESPValue>?)
        /// A subscription, confirmed by a message instead of a reply.
        case subscription(String)
    }

    private let eventLoop: any EventLoop
    private var parser = RESPParser()
    private var pending: CircularBuffer<Pending> = []
    private var channel: (any Channel)?
    private var isClosed = false
    private var listeners: [String: [ObjectIdentifier: RedisSignal]] = [:]
    private let onClose: @Sendable () -> Void

    init(_ eventLoop: any EventLoop, onClose: @escaping @Sendable () -> Void) {
        self.eventLoop = eventLoop
        self.onClose = onClose
    }

    // MARK: Commands

    /// Sends commands back to back. The future is the reply to the last one.
    ///
    /// - Parameter limit: the time limit of the last reply.
    func send(_ commands: [RedisCommand], within limit: TimeAmount) -> EventLoopFuture<RESPValue> {
        let promise = eventLoop.makePromise(of: RESPValue.self)
        eventLoop.execute { [self] in
            guard let channel, !isClosed else { return promise.fail(RedisFault.unavailable) }
            for command in commands.dropLast() { write(command, .reply(nil), to: channel) }
            if let command = commands.last { write(command, .reply(promise), to: channel) }
            let timer = eventLoop.scheduleTask(in: limit) { [self] in close(.late) }
            promise.futureResult.whenComplete { _ in timer.cancel() }
        }
        return promise.futureResult
    }

    /// Sounds a signal at each message of a channel.
    func subscribe(_ name: String, _ signal: RedisSignal) {
        eventLoop.execute { [self] in
            guard let channel, !isClosed else { return }
            let isFirst = listeners[name] == nil
            listeners[name, default: [:]][ObjectIdentifier(signal)] = signal
            guard isFirst else { return }
            write(RedisCommand("SSUBSCRIBE", name), .subscription(name), to: channel)
        }
    }

    func unsubscribe(_ name: String, _ signal: RedisSignal) {
        eventLoop.execute { [self] in
            guard let channel, !isClosed, listeners[name]?.removeValue(forKey: ObjectIdentifier(signal)) != nil,
                listeners[name]?.isEmpty == true
            else { return }
            listeners[name] = nil
            write(RedisCommand("SUNSUBSCRIBE", name), .subscription(name), to: channel)
        }
    }

    private func write(_ command: RedisCommand, _ reply: Pending, to channel: any Channel) {
        pending.append(reply)
        channel.writeAndFlush(command.bytes, promise: nil)
    }

    // MARK: Channel

    func channelActive(context: ChannelHandlerContext) { channel = context.channel }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.append(unwrapInboundIn(data))
        do throws(RedisFault) {
            while let value = try parser.next() { receive(value) }
        } catch {
            close(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { close(.unavailable) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(.unavailable) }

    private func receive(_ value: RESPValue) {
        if case .push(let parts) = value { return receive(message: parts) }
        switch pending.popFirst() {
        case .reply(let promise): promise?.succeed(value)
        // The node does not have the channel's slot. The listeners poll instead.
        case .subscription(let name): listeners[name] = nil
        case nil: close(.malformed)
        }
    }

    private func receive(message parts: [RESPValue]) {
        guard let kind = parts.first?.string, parts.count > 1, let name = parts[1].string else { return }
        switch kind {
        case "ssubscribe", "sunsubscribe":
            guard case .subscription = pending.first else {
                // A node that gives up a slot ends its subscriptions.
                if kind == "sunsubscribe" { listeners[name] = nil }
                return
            }
            pending.removeFirst()
        case "smessage":
            for signal in (listeners[name] ?? [:]).values { signal.sound() }
        default: break
        }
    }

    private func close(_ fault: RedisFault) {
        guard !isClosed else { return }
        isClosed = true
        let pending = pending
        self.pending = []
        listeners = [:]
        channel?.close(promise: nil)
        onClose()
        for case .reply(let promise) in pending { promise?.fail(fault) }
    }

    /// Closes the connection. Commands in flight fail.
    func stop() { eventLoop.execute { self.close(.unavailable) } }
}

/// A signal for one waiter, which sounds at a message.
final class RedisSignal: Sendable {
    /// Keeps one sound for a later waiter.
    private let (sounds, sounding) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    func sound() { sounding.yield() }

    /// Waits for a sound, the time limit or cancellation. One waiter at a time.
    func wait(atMost limit: Duration) async {
        let timer = Task { [sounding] in
            do { try await Task.sleep(for: limit) } catch { return }
            sounding.yield()
        }
        defer { timer.cancel() }
        _ = await sounds.first { _ in true }
    }
}
