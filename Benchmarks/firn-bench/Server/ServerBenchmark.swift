import Firn
import FirnFigures
import FirnSystem
import FoundationEssentials

/// Measures the image server against thumbor, nginx and iipsrv: all serve the same files, in turn.
struct ServerBenchmark {
    let photographs: [String]
    let rounds: Int
    /// The sides of thumbnails that are asked in a pass, so that each image is decoded anew.
    private static let sides = [512, 508, 504, 500, 496]

    func run() -> [Figure] {
        guard let files = ServerFiles(photographs: photographs) else { return [] }
        defer { files.remove() }
        let peers = ServerPeers(folder: files.folder, images: files.images)
        guard let probe = peers.firn() else { return [] }
        probe.stop()
        var figures: [Figure] = []
        for (format, sides) in [(ImageFormat.jpeg, ServerBenchmark.sides), (.png, [512, 500]), (.webp, [512, 500])] {
            figures += cold(format, files.paths(format, sides: sides), peers)
        }
        figures += hot(files, peers)
        figures += work(files, peers)
        figures += tiles(files, peers)
        return figures
    }

    // MARK: Cold

    private struct Cold {
        var time: [Double] = []
        var cpu: [Double] = []
        var memory: [Double] = []
        var last: [Double] = []
    }

    /// Each address once, over eight connections, by servers that have just started.
    private func cold(
        _ format: ImageFormat, _ paths: (firn: [String], thumbor: [String]), _ peers: ServerPeers
    ) -> [Figure] {
        var (own, other) = (Cold(), Cold())
        for _ in 0..<rounds {
            pass(peers.firn(), paths.firn, &own)
            pass(peers.thumbor(), paths.thumbor, &other)
        }
        guard !own.time.isEmpty else { return [] }
        func figure(_ name: String, _ unit: String, _ value: (Cold) -> [Double]) -> Figure {
            Figure(
                name: "server.cold.\(format).\(name)", value: value(own).median, unit: unit,
                peer: other.time.isEmpty ? nil : "thumbor",
                peerValue: other.time.isEmpty ? nil : value(other).median)
        }
        return [
            figure("time", "ms", \.time), figure("cpu", "ms", \.cpu), figure("p99", "ms", \.last),
            figure("peakMemory", "MiB", \.memory),
        ]
    }

    private func pass(_ server: ServerProgram?, _ paths: [String], _ cold: inout Cold) {
        guard let server else { return }
        defer { server.stop() }
        let cpu = server.cpu
        let outcome = ServerLoad(port: server.port, connections: 8).run(paths)
        guard outcome.failures == 0 else {
            print("server: \(outcome.failures) of \(paths.count) responses failed")
            return
        }
        cold.time.append(outcome.wall / Double(paths.count) * 1000)
        cold.cpu.append((server.cpu - cpu) / Double(paths.count) * 1000)
        cold.memory.append(server.peakMemory)
        cold.last.append(outcome.percentile(0.99) * 1000)
    }

    // MARK: Hot

    /// One result from the memory of our server, from thumbor's store, and from nginx's cache before our server.
    private func hot(_ files: ServerFiles, _ peers: ServerPeers) -> [Figure] {
        let paths = files.paths(.jpeg, sides: [512])
        guard let own = peers.firn(), let path = paths.firn.first, let other = paths.thumbor.first else { return [] }
        defer { own.stop() }
        let thumbor = peers.thumbor()
        let nginx = peers.cache(of: own.port)
        defer {
            thumbor?.stop()
            nginx?.stop()
        }
        var figures: [Figure] = []
        for connections in [8, 64] {
            var times: (own: [Double], thumbor: [Double], nginx: [Double]) = ([], [], [])
            for _ in 0..<rounds {
                if let time = hot(own.port, path, connections) { times.own.append(time) }
                if let time = thumbor.flatMap({ hot($0.port, other, connections) }) { times.thumbor.append(time) }
                if let time = nginx.flatMap({ hot($0.port, path, connections) }) { times.nginx.append(time) }
            }
            for (name, values) in [("thumbor", times.thumbor), ("nginx", times.nginx)]
            where !values.isEmpty && !times.own.isEmpty {
                figures.append(
                    Figure(
                        name: "server.hot.\(connections).\(name)", value: times.own.median, unit: "µs",
                        peer: name == "nginx" ? "nginx proxy_cache" : name, peerValue: values.median))
            }
        }
        return figures
    }

    /// Returns the microseconds of a response over `connections`, as `wrk` counts them.
    private func hot(_ port: Int, _ path: String, _ connections: Int) -> Double? {
        guard ServerConnection(port: port)?.get(path)?.status == 200,
            let usage = ChildProcess.run(
                ["wrk", "-t1", "-c\(connections)", "-d3s", "http://127.0.0.1:\(port)\(path)"]),
            !usage.output.contains("Non-2xx"),
            let line = usage.output.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
            let rate = line.split(whereSeparator: \.isWhitespace).last.flatMap({ Double($0) }), rate > 0
        else {
            print("server: wrk is not installed here, or had other responses than 200")
            return nil
        }
        return 1e6 / rate
    }
}
