import CBareCurl
import Firn
import FirnFigures
import FirnSync
import FoundationEssentials

/// Compares the loader with libcurl, on which it is built: small requests over loopback on 6 connections, and one long
/// body.
///
/// The server runs in its own process. Both clients keep as many requests under way and start the next when one ends;
/// rounds alternate.
struct HTTPBenchmark {
    /// Requests of one kind.
    private struct Work {
        let name: String
        let path: String
        let count: Int
        let connections: Int
        let bodyBytes: Int
        let unit: String
        /// The number of units in a second, for each request.
        let scale: Double
    }

    private static let works = [
        Work(
            name: "network.requests", path: "icons", count: 10_000, connections: 6, bodyBytes: SmallServer.bodyBytes,
            unit: "µs", scale: 1e6),
        Work(
            name: "network.body", path: "body", count: 1, connections: 1, bodyBytes: SmallServer.longBodyBytes,
            unit: "ms",
            scale: 1e3),
    ]

    let rounds: Int

    func run() async -> [Figure] {
        guard let server = ServerProcess() else {
            print("network: the server did not start")
            return []
        }
        let loader = DataLoader()
        var figures: [Figure] = []
        for work in HTTPBenchmark.works { figures += await measure(work, server.port, loader) }
        figures += HeldRequests.figures(server.port)
        withExtendedLifetime(server) {}
        return figures
    }

    private func measure(_ work: Work, _ port: Int, _ loader: DataLoader) async -> [Figure] {
        let base = "http://127.0.0.1:\(port)/\(work.path)"
        var times: (mine: [Double], bare: [Double]) = ([], [])
        var cpu: (mine: [Double], bare: [Double]) = ([], [])
        // The first round warms both up and does not count.
        for round in 0...max(3, rounds) {
            for isMine in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let start = (Stopwatch.wallNow, Stopwatch.cpuNow)
                let isRight =
                    await isMine
                    ? HTTPBenchmark.load(work, base, loader) : HTTPBenchmark.loadBare(work, base)
                let time = (Stopwatch.wallNow - start.0, Stopwatch.cpuNow - start.1)
                guard isRight else {
                    print("network: not every response was complete")
                    return []
                }
                guard round > 0 else { continue }
                if isMine { times.mine.append(time.0) } else { times.bare.append(time.0) }
                if isMine { cpu.mine.append(time.1) } else { cpu.bare.append(time.1) }
            }
        }
        // Seconds for the time, microseconds for the CPU.
        let (scale, cpuScale) = (work.scale / Double(work.count), work.scale / 1e6 / Double(work.count))
        return [
            Figure(
                name: work.name, value: times.mine.median * scale, unit: work.unit, peer: "bare libcurl",
                peerValue: times.bare.median * scale),
            Figure(
                name: work.name + ".cpu", value: cpu.mine.median * cpuScale, unit: work.unit, peer: "bare libcurl",
                peerValue: cpu.bare.median * cpuScale),
        ]
    }

    /// Loads by libcurl alone, on a thread of its own.
    ///
    /// - Returns: `true` if every body had the expected length.
    private static func loadBare(_ work: Work, _ base: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let isStarted = WorkerThread.start {
                let right = bare_curl_load(base, Int32(work.count), Int32(work.connections), work.bodyBytes)
                continuation.resume(returning: right == work.count)
            }
            if !isStarted { continuation.resume(returning: false) }
        }
    }

    /// Loads by the loader.
    ///
    /// - Returns: `true` if every body had the expected length.
    private static func load(_ work: Work, _ base: String, _ loader: DataLoader) async -> Bool {
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
                guard number <= work.count else { return }
                let sum = Locked(0)
                _ = loader.startLoading(DataRequest(url: "\(base)/\(number).png")) { event in
                    switch event {
                    case .response: break
                    case .chunk(let data): sum.withLock { $0 += data.count }
                    case .end(let error):
                        let isRight = error == nil && sum.withLock { $0 } == work.bodyBytes
                        let (done, wrong) = state.withLock { state in
                            state.done += 1
                            if !isRight { state.wrong += 1 }
                            return (state.done, state.wrong)
                        }
                        if done == work.count { continuation.resume(returning: wrong == 0) } else { step() }
                    }
                }
            }
            for _ in 0..<work.connections { step() }
        }
    }
}
