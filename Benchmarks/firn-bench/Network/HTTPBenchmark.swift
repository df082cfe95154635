import Firn
import FirnFigures
import FirnSync
import FoundationEssentials

/// Compares the loader with the HTTP client it is built on: 10 000 small requests over loopback on 6 connections.
///
/// The server runs in its own process. Both clients keep six requests under way and start the next when one ends;
/// rounds alternate.
struct HTTPBenchmark {
    let rounds: Int
    private static let count = 10_000
    private static let connections = 6

    func run() async -> [Figure] {
        guard let server = ServerProcess() else {
            print("http: the server did not start")
            return []
        }
        let bare = BareClient()
        let loader = DataLoader()
        let port = server.port
        let loading: @Sendable (String, @escaping @Sendable (Int) -> Void) -> Void = { url, done in
            let sum = Locked(0)
            _ = loader.startLoading(DataRequest(url: url)) { event in
                switch event {
                case .response: break
                case .chunk(let data): sum.withLock { $0 += data.count }
                case .end(let error): done(error == nil ? sum.withLock { $0 } : 0)
                }
            }
        }
        var times: (mine: [Double], bare: [Double]) = ([], [])
        var cpu: (mine: [Double], bare: [Double]) = ([], [])
        // The first round warms both up and does not count.
        for round in 0...max(3, rounds) {
            for isMine in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let start = (Stopwatch.wallNow, Stopwatch.cpuNow)
                let isRight = await HTTPBenchmark.drive(port, isMine ? loading : bare.load)
                let time = (Stopwatch.wallNow - start.0, Stopwatch.cpuNow - start.1)
                guard isRight else {
                    print("http: not every response was complete")
                    return []
                }
                guard round > 0 else { continue }
                if isMine { times.mine.append(time.0) } else { times.bare.append(time.0) }
                if isMine { cpu.mine.append(time.1) } else { cpu.bare.append(time.1) }
            }
        }
        await bare.shutdown()
        withExtendedLifetime(server) {}
        let scale = 1e6 / Double(HTTPBenchmark.count)
        let (mine, other) = (times.mine.median * scale, times.bare.median * scale)
        let (mineCPU, otherCPU) = (
            cpu.mine.median / Double(HTTPBenchmark.count), cpu.bare.median / Double(HTTPBenchmark.count)
        )
        return [
            Figure(
                name: "http.requests", value: mine, unit: "µs", peer: "bare HTTP client", peerValue: other),
            Figure(
                name: "http.requests.cpu", value: mineCPU, unit: "µs", peer: "bare HTTP client", peerValue: otherCPU),
        ]
    }

    /// Loads all addresses, six at a time.
    ///
    /// - Returns: whether every body had the expected length.
    private static func drive(
        _ port: Int, _ load: @escaping @Sendable (String, @escaping @Sendable (Int) -> Void) -> Void
    ) async -> Bool {
        struct State {
            var next = 0
            var done = 0
            var wrong = 0
        }
        let state = Locked(State())
        return await withCheckedContinuation { continuation in
            @Sendable func step() {
                let number = state.withLock { state in
                    state.next += 1
                    return state.next
                }
                guard number <= count else { return }
                load("http://127.0.0.1:\(port)/icons/\(number).png") { length in
                    let (done, wrong) = state.withLock { state in
                        state.done += 1
                        if length != SmallServer.bodyBytes { state.wrong += 1 }
                        return (state.done, state.wrong)
                    }
                    if done == count { continuation.resume(returning: wrong == 0) } else { step() }
                }
            }
            for _ in 0..<connections { step() }
        }
    }
}
