import CBareCurl
import Firn
import FirnFigures
import FirnSync
import FirnSystem

/// Measures the memory of requests that do not end: 1,000 that wait for six connections, and 48 whose bodies are under
/// way. Each run is a process of its own.
enum HeldRequests {
    /// The time that a process takes to start its requests, in milliseconds.
    private static let settling: Int32 = 1500

    static func figures(_ port: Int) -> [Figure] {
        [
            figure("network.waiting", "http://127.0.0.1:\(port)/never", count: 1000, connections: 6),
            figure("network.running", "http://127.0.0.1:\(port)/part", count: 48, connections: 48),
        ].compactMap { $0 }
    }

    private static func figure(_ name: String, _ base: String, count: Int, connections: Int) -> Figure? {
        func growth(_ client: String) -> Double? {
            let words = ["/proc/self/exe", "--child", "held", client, base, "\(count)", "\(connections)"]
            let runs = (0..<3).compactMap { _ in ChildProcess.run(words).flatMap { Double($0.output.dropLast()) } }
            return runs.isEmpty ? nil : runs.median
        }
        guard let mine = growth("firn"), let bare = growth("curl") else { return nil }
        return Figure(name: "\(name).memory", value: mine, unit: "KiB", peer: "bare libcurl", peerValue: bare)
    }

    /// Starts the requests and prints by how many KiB the resident memory of this process grew at most.
    static func run(_ client: String, _ base: String, count: Int, connections: Int) async throws {
        var configuration = DataLoader.Configuration()
        configuration.transfersPerHost = connections
        let loader = DataLoader(configuration: configuration)
        if client == "firn" { await first(loader, base) }
        let before = kilobytes("VmRSS:")
        if client == "firn" {
            let transfers = (1...count).map { loader.startLoading(DataRequest(url: "\(base)/\($0).png")) { _ in } }
            try await Task.sleep(for: .milliseconds(Int(settling)))
            withExtendedLifetime(transfers) {}
        } else {
            bare_curl_hold(base, Int32(count), Int32(connections), settling)
        }
        print(kilobytes("VmHWM:") - before)
        // Order: the requests are still there, and the process does not wait for them.
        fflush(nil)
        exit(0)
    }

    /// Starts the loader's thread with a request that ends at once.
    private static func first(_ loader: DataLoader, _ base: String) async {
        await withCheckedContinuation { continuation in
            _ = loader.startLoading(DataRequest(url: "\(base.prefix { $0 != "/" })//127.0.0.1:1/")) { event in
                if case .end = event { continuation.resume() }
            }
        }
    }

    private static func kilobytes(_ field: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
