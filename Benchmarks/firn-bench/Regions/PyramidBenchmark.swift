import FirnFigures
import FoundationEssentials

/// Measures the pyramid of a large JPEG: its building, and random parts of it. Each run is a process of its own.
struct PyramidBenchmark {
    let files: RegionFiles
    let rounds: Int

    private struct Build {
        let cpu: Double
        let wall: Double
        let peak: Double
    }

    func run() -> [Figure] {
        var figures: [Figure] = []
        var builds: [Build] = []
        var decodes: [Double] = []
        var peers: [Double] = []
        var latencies: [Double] = []
        for _ in 0..<rounds {
            let store = "\(files.folder)/store"
            defer {
                try? FileManager.default.removeItem(atPath: store)
                try? FileManager.default.removeItem(atPath: "\(files.folder)/peer_files")
                try? FileManager.default.removeItem(atPath: "\(files.folder)/peer.dzi")
            }
            guard let usage = child("build", store), let peak = numbers(usage).first else {
                print("regions: the pyramid was not built")
                return []
            }
            builds.append(Build(cpu: usage.cpu * 1000, wall: usage.wall * 1000, peak: peak))
            if let tiles = child("tiles", store), let latency = numbers(tiles).dropFirst().first {
                latencies.append(latency)
            }
            if let usage = ChildProcess.run(["djpeg", "-outfile", "/dev/null", files.jpeg]) {
                decodes.append(usage.cpu * 1000)
            }
            let peer = ["vips", "dzsave", files.jpeg, "\(files.folder)/peer", "--suffix", ".jpg[Q=85]"]
            if let usage = ChildProcess.run(peer) { peers.append(usage.wall * 1000) }
        }
        func middle(_ value: (Build) -> Double) -> Double { builds.map(value).median }
        if let decode = median(decodes) {
            figures.append(
                Figure(
                    name: "regions.pyramid.cpu", value: middle(\.cpu), unit: "ms", peer: "djpeg", peerValue: decode))
        }
        if let peer = median(peers) {
            // Its tiles are compressed, ours are raw.
            figures.append(
                Figure(
                    name: "regions.pyramid.wall", value: middle(\.wall), unit: "ms", peer: "vips dzsave",
                    peerValue: peer))
        }
        figures.append(Figure(name: "regions.pyramid.peakMemory", value: middle(\.peak), unit: "MiB"))
        if let latency = median(latencies) {
            figures.append(Figure(name: "regions.tiles.p99", value: latency, unit: "ms"))
        }
        return figures
    }

    private func child(_ task: String, _ store: String) -> ChildProcess.Usage? {
        ChildProcess.run(
            [CommandLine.arguments[0], "--child", "pyramid"],
            input: "\(task)\n\(files.jpeg)\n\(store)\n\(RegionFiles.side)\n")
    }

    private func numbers(_ usage: ChildProcess.Usage) -> [Double] {
        usage.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }

    private func median(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.median }
}
