import AsyncHTTPClient
import Firn
import Foundation
import Synchronization

/// Loads an image through the program's own HTTP client: `own-client URL OUT.png`.
@main
struct OwnClient {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: own-client URL OUT.png") }
        let pipeline = ImagePipeline { $0.dataLoader = ClientLoader(client: .shared) }
        let image = try await pipeline.image(for: arguments[1])
        try ImageEncoders.png().encode(image).write(to: URL(filePath: arguments[2]))
        print("\(image.size)")
    }
}

/// Loads with AsyncHTTPClient. Reads the body only as fast as the receiver takes it: a pause applies back-pressure.
struct ClientLoader: DataLoading {
    let client: HTTPClient

    func startLoading(_ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void) -> any DataTransfer {
        let gate = Gate()
        let task = Task {
            do {
                receive(.end(try await load(request, gate, receive)))
            } catch is CancellationError {
                receive(.end(DataLoadingError(.cancelled, "the transfer was cancelled")))
            } catch {
                receive(.end(DataLoadingError(.connection, "the client failed", underlying: error)))
            }
        }
        return ClientTransfer(task: task, gate: gate)
    }

    private func load(
        _ request: DataRequest, _ gate: Gate, _ receive: @Sendable (DataEvent) -> Void
    ) async throws -> DataLoadingError? {
        var message = HTTPClientRequest(url: request.url)
        for field in request.headers { message.headers.add(name: field.name, value: field.value) }
        let response = try await client.execute(message, timeout: .seconds(30))
        let status = Int(response.status.code)
        let fields = HTTPHeaderFields(response.headers)
        let length = fields["Content-Length"].flatMap { Int($0) }
        let head = DataResponse(url: request.url, status: status, headers: fields, expectedLength: length)
        if let failure = head.failure(for: request) { return failure }
        receive(.response(head))
        for try await part in response.body {
            try await gate.wait()
            receive(.chunk(Data(part.readableBytesView)))
        }
        return nil
    }
}

/// A running transfer: the reading task and the gate that pauses it.
struct ClientTransfer: DataTransfer {
    let task: Task<Void, Never>
    let gate: Gate

    func cancel() { task.cancel() }
    func pause() { gate.isOpen = false }
    func resume() { gate.isOpen = true }
}

/// Suspends a task until it is opened.
final class Gate: Sendable {
    private let state = Mutex(true)
    var isOpen: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func wait() async throws { while !isOpen { try await Task.sleep(for: .milliseconds(20)) } }
}
