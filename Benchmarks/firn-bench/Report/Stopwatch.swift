import FirnSystem

/// Measures CPU time of the whole process in microseconds, and wall time in seconds.
enum Stopwatch {
    /// The CPU time used so far by all threads, user and system, in microseconds.
    static var cpuNow: Double { clock(CLOCK_PROCESS_CPUTIME_ID) * 1e6 }
    /// The seconds since an arbitrary moment.
    static var wallNow: Double { clock(CLOCK_MONOTONIC) }

    static func cpu(_ body: () async throws -> Void) async rethrows -> Double {
        let start = cpuNow
        try await body()
        return cpuNow - start
    }

    static func cpu(_ body: () throws -> Void) rethrows -> Double {
        let start = cpuNow
        try body()
        return cpuNow - start
    }

    static func median(of runs: Int, _ body: () throws -> Double) rethrows -> Double {
        var values: [Double] = []
        for _ in 0..<runs { values.append(try body()) }
        return values.median
    }

    static func median(of runs: Int, _ body: () async throws -> Double) async rethrows -> Double {
        var values: [Double] = []
        for _ in 0..<runs { values.append(try await body()) }
        return values.median
    }

    private static func clock(_ id: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(id, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
