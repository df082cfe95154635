import FirnFigures

/// Measures regions of 512 × 512 pixels of large files, each in a process of its own.
struct RegionBenchmark {
    let photograph: String
    let rounds: Int

    /// The numbers that a child prints, and the CPU time of its whole process.
    private struct Run {
        let first: Double
        let second: Double
        let peak: Double
        let cpu: Double
    }

    func run() -> [Figure] {
        guard let files = RegionFiles(photograph: photograph) else { return [] }
        defer { files.remove() }
        let edge = RegionFiles.side / 2
        let place = ["\(edge)", "\(edge)", "\(RegionChild.side)", "\(RegionChild.side)"]
        let output = "\(files.folder)/out.v"
        let geometry = "\(RegionChild.side)x\(RegionChild.side)+\(edge)+\(edge)"
        guard let plain = own(files.jpeg, edge), let marked = own(files.restarts, edge),
            let rows = own(files.restartRows, edge), let tiles = own(files.tiff, RegionFiles.largeSide / 2)
        else {
            print("regions: the children did not run")
            return []
        }
        var figures: [Figure] = []
        if let vips = cpu(["vips", "crop", files.jpeg, output] + place) {
            figures.append(
                Figure(name: "regions.jpeg.cpu", value: plain.cpu, unit: "ms", peer: "vips crop", peerValue: vips))
        }
        if let magick = cpu(["convert", "-extract", geometry, files.jpeg, "\(files.folder)/out.miff"]) {
            figures.append(
                Figure(
                    name: "regions.jpeg.cpu.imageMagick", value: plain.cpu, unit: "ms",
                    peer: "ImageMagick -extract", peerValue: magick))
        }
        figures += [
            Figure(name: "regions.jpeg.peakMemory", value: plain.peak, unit: "MiB"),
            Figure(name: "regions.restarts.second", value: marked.second, unit: "ms"),
            Figure(name: "regions.restarts.rows.second", value: rows.second, unit: "ms"),
            Figure(name: "regions.tiff.tile", value: tiles.second, unit: "ms"),
            Figure(name: "regions.tiff.peakMemory", value: tiles.peak, unit: "MiB"),
        ]
        if files.makeGrid(), let grid = own(files.grid, nil) {
            // The region is one cell.
            figures.append(
                Figure(
                    name: "regions.heic.cpu", value: grid.first, unit: "ms", peer: "its share of the whole",
                    peerValue: grid.second / Double(RegionFiles.gridSide * RegionFiles.gridSide)))
        }
        figures += PyramidBenchmark(files: files, rounds: rounds).run()
        return figures + PanBenchmark(file: files.tiff, rounds: min(rounds, 3)).run()
    }

    /// Returns the medians of our process.
    private func own(_ path: String, _ edge: Int?) -> Run? {
        let runs = (0..<rounds).compactMap { _ -> Run? in
            guard
                let usage = ChildProcess.run(
                    [CommandLine.arguments[0], "--child", "regions"],
                    input: "\(path)\n\(edge.map(String.init) ?? "")\n")
            else { return nil }
            let numbers = usage.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard numbers.count == 3 else { return nil }
            // The process decodes two regions, the peer one.
            return Run(
                first: numbers[0], second: numbers[1], peak: numbers[2], cpu: usage.cpu * 1000 - numbers[1])
        }
        guard !runs.isEmpty else { return nil }
        func median(_ value: (Run) -> Double) -> Double { runs.map(value).median }
        return Run(
            first: median(\.first), second: median(\.second), peak: median(\.peak), cpu: median(\.cpu))
    }

    /// Returns the median of a command's CPU time in milliseconds; `nil` if it is not installed.
    private func cpu(_ command: [String]) -> Double? {
        let times = (0..<rounds).compactMap { _ in ChildProcess.run(command).map { $0.cpu * 1000 } }
        guard !times.isEmpty else {
            print("regions: \(command[0]) is not installed here")
            return nil
        }
        return times.median
    }
}
