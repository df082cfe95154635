import Firn
import FirnFigures
import FirnSystem

extension ServerBenchmark {
    /// Tests of much work: hot responses, equal requests, requests whose clients leave, a bomb.
    func work(_ files: ServerFiles, _ peers: ServerPeers) -> [Figure] {
        var (hot, equal, abandoned, bomb) = ([Double](), [Double](), [Double](), [Double]())
        for _ in 0..<rounds {
            guard let server = peers.firn() else { return [] }
            defer { server.stop() }
            if let time = busy(server, files) { hot.append(time) }
            if let ratio = same(server, files) { equal.append(ratio) }
            if let share = left(server, files) { abandoned.append(share) }
            let path = "/_/rs:fit:512:512/plain/local:///\(ServerFiles.bomb)"
            let outcome = ServerLoad(port: server.port, connections: 1).run([path], status: 422)
            if outcome.failures == 0 { bomb.append(outcome.percentile(0.5) * 1000) }
        }
        let values = [
            ("busy.p99", hot, "ms"), ("same", equal, "of one decode"), ("left", abandoned, "of their work"),
            ("bomb", bomb, "ms"),
        ]
        return values.filter { !$0.1.isEmpty }.map {
            Figure(name: "server.\($0.0)", value: $0.1.median, unit: $0.2)
        }
    }

    /// Returns the 99th percentile of responses from memory in milliseconds, while eight connections ask for new ones.
    private func busy(_ server: ServerProgram, _ files: ServerFiles) -> Double? {
        guard let path = files.paths(.jpeg, sides: [512]).firn.first else { return nil }
        let cold = files.paths(.jpeg, sides: [490, 480, 470]).firn
        _ = ServerConnection(port: server.port)?.get(path)
        let thread = BenchThread { [port = server.port] in
            _ = ServerLoad(port: port, connections: 8).run(cold)
        }
        thread.start()
        let outcome = ServerLoad(port: server.port, connections: 1).run(Array(repeating: path, count: 2000))
        thread.join()
        return outcome.failures == 0 ? outcome.percentile(0.99) * 1000 : nil
    }

    /// Returns the time of the slowest of 64 equal requests at once, divided by that of one request. The source is a
    /// PNG, whose decode is long beside what 64 connections cost; the result is a JPEG, as in the other measurements.
    private func same(_ server: ServerProgram, _ files: ServerFiles) -> Double? {
        guard let alone = files.paths(.png, sides: [450]).firn.first,
            let shared = files.paths(.png, sides: [440]).firn.first
        else { return nil }
        let one = ServerLoad(port: server.port, connections: 1).run([alone + "@jpg"])
        let many = ServerLoad(port: server.port, connections: 64).run(Array(repeating: shared + "@jpg", count: 64))
        return one.failures + many.failures == 0 ? many.percentile(1) / one.percentile(1) : nil
    }

    /// Returns the CPU time of 40 requests whose clients leave after a tenth of a second, divided by that of 40 whole
    /// ones.
    private func left(_ server: ServerProgram, _ files: ServerFiles) -> Double? {
        let whole = Array(files.paths(.jpeg, sides: [430, 420, 410]).firn.prefix(40))
        let abandoned = Array(files.paths(.jpeg, sides: [400, 390, 380]).firn.prefix(40))
        var start = server.cpu
        guard ServerLoad(port: server.port, connections: 8).run(whole).failures == 0 else { return nil }
        let cost = server.cpu - start
        start = server.cpu
        var connections = abandoned.compactMap { path in
            let connection = ServerConnection(port: server.port)
            connection?.send(path)
            return connection
        }
        usleep(100_000)
        connections.removeAll()
        // Whatever goes on is counted.
        usleep(3_000_000)
        return cost > 0 && whole.count == 40 ? (server.cpu - start) / cost : nil
    }

    /// Tiles of a pyramid of a gigapixel, each once, over eight connections.
    func tiles(_ files: ServerFiles, _ peers: ServerPeers) -> [Figure] {
        let side = ServerFiles.side / 512
        // Places all over the image, in an order without neighbors.
        let places = (0..<400).map { ($0 * 37 % side * 512, $0 * 23 % side * 512) }
        let parts = places.map { "/\(ServerFiles.pyramid)/\($0.0),\($0.1),512,512/256,/0/default.jpg" }
        var (own, other) = ([Double](), [Double]())
        for _ in 0..<rounds {
            if let server = peers.firn() {
                let outcome = ServerLoad(port: server.port, connections: 8).run(parts.map { "/iiif" + $0 })
                if outcome.failures == 0 { own.append(outcome.wall / Double(parts.count) * 1000) }
                server.stop()
            }
            if let (server, nginx) = peers.iipsrv() {
                let paths = parts.map { "/iip?IIIF=" + $0.dropFirst() }
                let outcome = ServerLoad(port: nginx.port, connections: 8).run(paths)
                if outcome.failures == 0 { other.append(outcome.wall / Double(parts.count) * 1000) }
                nginx.stop()
                server.stop()
            }
        }
        guard !own.isEmpty else { return [] }
        return [
            Figure(
                name: "server.tiles", value: own.median, unit: "ms",
                peer: other.isEmpty ? nil : "iipsrv", peerValue: other.isEmpty ? nil : other.median)
        ]
    }
}
