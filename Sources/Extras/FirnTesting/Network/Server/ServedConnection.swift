import FirnSync
import FirnSystem

/// One connection of a ``ScriptedServer``, served on its own thread.
final class ServedConnection: Sendable {
    private enum Outcome {
        case whole
        case close
        case abandoned
    }

    private let descriptor: Int32
    private let number: Int
    private let listener: Listener

    init(_ descriptor: Int32, number: Int, _ listener: Listener) {
        self.descriptor = descriptor
        self.number = number
        self.listener = listener
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    func serve() {
        var rest: [UInt8] = []
        while let request = nextRequest(&rest) {
            listener.requests.start(request)
            let scripted = listener.response(to: request)
            let response = scripted.computed?(request.headers) ?? scripted
            let outcome = play(response, isHead: request.method == "HEAD")
            listener.requests.end(request, isCancelled: outcome == .abandoned)
            if outcome != .whole { break }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
        listener.connections.end(number)
    }

    // MARK: Requests

    private func nextRequest(_ rest: inout [UInt8]) -> ScriptedServer.Request? {
        let separator = Array("\r\n\r\n".utf8)
        while true {
            if let end = rest.indices.first(where: { rest[$0...].starts(with: separator) }) {
                let text = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + separator.count)
                return parse(text)
            }
            // Bytes that do not start like a method belong to another protocol, usually TLS.
            if let first = rest.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
                _ = send(Data("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
                return nil
            }
            guard listener.poll(descriptor, POLLIN, or: []) == .ready else { return nil }
            var bytes = [UInt8](repeating: 0, count: 16 << 10)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return nil }
            rest += bytes[..<count]
        }
    }

    private func parse(_ text: String) -> ScriptedServer.Request? {
        let lines = text.split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        var headers = HTTPHeaderFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append(String(line[..<colon]), String(value))
        }
        return .init(method: String(words[0]), path: String(words[1]), headers: headers, connection: number)
    }

    // MARK: Responses

    private func play(_ response: ScriptedResponse, isHead: Bool) -> Outcome {
        let hasBody = !(isHead && response.hasHead)
        let end = response.framing == .chunked && response.hasHead && hasBody ? "0\r\n\r\n" : ""
        // One write for the head and the first bytes, as by real servers.
        var pending = Data()
        for step in response.beforeHead + [.raw(response.head)] + (hasBody ? response.body : []) {
            switch step {
            case .bytes(let data): pending.append(framed(data, response.framing))
            case .raw(let data): pending.append(data)
            default:
                guard flush(&pending) else { return .abandoned }
                if let outcome = perform(step, response.framing) { return outcome }
            }
            guard pending.count < 16 << 10 || flush(&pending) else { return .abandoned }
        }
        pending.append(contentsOf: end.utf8)
        guard flush(&pending) else { return .abandoned }
        return hasBody && response.framing == .untilClose ? .close : .whole
    }

    /// Returns `nil` to continue with the next step.
    private func perform(_ step: ScriptedResponse.Step, _ framing: ScriptedResponse.Framing) -> Outcome? {
        switch step {
        // These are sent together.
        case .bytes, .raw: return nil
        case .drip(let data, let pause):
            let milliseconds = Int32(max(.zero, min(pause, .seconds(60))) / .milliseconds(1))
            for byte in data {
                guard send(Data([byte])),
                    listener.poll(descriptor, 0, or: [], milliseconds: milliseconds) == .timeout
                else { return .abandoned }
            }
            return nil
        case .endless(let data):
            let piece = framed(data, framing)
            while send(piece) {}
            return .abandoned
        case .hold(let gate):
            return listener.poll(descriptor, 0, or: [gate]) == .ready ? nil : .abandoned
        case .stall:
            _ = listener.poll(descriptor, 0, or: [])
            return .abandoned
        case .cut: return .close
        case .reset:
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            // Closing then resets the connection. The descriptor stays in use until the connection ends, so that
            // nothing else gets its number.
            let null = open("/dev/null", O_RDWR | O_CLOEXEC)
            dup2(null, descriptor)
            close(null)
            return .close
        }
    }

    private func framed(_ data: Data, _ framing: ScriptedResponse.Framing) -> Data {
        guard framing == .chunked else { return data }
        var chunk = Data("\(String(data.count, radix: 16))\r\n".utf8)
        chunk.append(data)
        chunk.append(contentsOf: "\r\n".utf8)
        return chunk
    }

    private func flush(_ pending: inout Data) -> Bool {
        defer { pending.removeAll(keepingCapacity: true) }
        return pending.isEmpty || send(pending)
    }

    private func send(_ data: Data) -> Bool {
        var offset = 0
        while offset < data.count {
            let count = data.withUnsafeBytes { bytes in
                FirnSystem.send(
                    descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                offset += count
                listener.bytesSent.withLock { $0 += count }
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR, waitForRoom() else { return false }
        }
        return true
    }

    private func waitForRoom() -> Bool {
        let patience = Int32(ScriptedServer.stallTime / .milliseconds(1))
        while true {
            let result = listener.poll(descriptor, POLLOUT, or: [], milliseconds: patience)
            guard result == .timeout else { return result == .ready }
            listener.stalls.add(number)
        }
    }
}
