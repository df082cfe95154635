import FirnSync

/// Loads paths over several connections at once.
struct ServerLoad {
    let port: Int
    let connections: Int

    struct Outcome {
        /// The seconds from the first request to the last response.
        let wall: Double
        /// The seconds of each response, in order of length.
        let times: [Double]
        /// The responses with another status than was expected, or none.
        let failures: Int

        func percentile(_ share: Double) -> Double {
            times.isEmpty ? .infinity : times[min(times.count - 1, Int(share * Double(times.count)))]
        }
    }

    private struct State {
        var next = 0
        var times: [Double] = []
        var failures = 0
    }

    /// Loads each path once.
    func run(_ paths: [String], status: Int = 200) -> Outcome {
        let state = Locked(State())
        let start = Stopwatch.wallNow
        let threads = (0..<connections).map { _ in
            BenchThread { [port] in
                var connection = ServerConnection(port: port)
                while true {
                    let index = state.withLock { state in
                        defer { state.next += 1 }
                        return state.next
                    }
                    guard index < paths.count else { return }
                    let start = Stopwatch.wallNow
                    let response = connection?.get(paths[index])
                    let time = Stopwatch.wallNow - start
                    state.withLock { state in
                        state.times.append(time)
                        if response?.status != status { state.failures += 1 }
                    }
                    if response == nil { connection = ServerConnection(port: port) }
                }
            }
        }
        for thread in threads { thread.start() }
        for thread in threads { thread.join() }
        let (times, failures) = state.withLock { ($0.times.sorted(), $0.failures) }
        return Outcome(wall: Stopwatch.wallNow - start, times: times, failures: failures)
    }
}
