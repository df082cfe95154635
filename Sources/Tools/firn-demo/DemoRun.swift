import Firn
import FirnDemoServer
import FirnReport
import FoundationEssentials

/// The three passes, the table and the sheet.
struct DemoRun {
    let addresses: [String]
    let options: DemoOptions
    let line: LineCondition

    /// Runs the passes.
    ///
    /// - Returns: whether every image was loaded in every pass.
    func run() async throws -> Bool {
        try LocalFileSystem().createDirectory(options.out)
        let cacheFolder = PathText.join(options.out, "cache")
        // Order: emptied before the first pipeline reads it, so that the first pass starts with empty caches.
        try DataCache(directory: cacheFolder).removeAll()

        let sheetCount = min(addresses.count, 400)
        let cell = SheetLayout(count: sheetCount).imageSize
        let first = pipeline(cacheFolder)
        let cold = await DemoPass("cold", addresses, cell: cell, first)
        let memory = await DemoPass("warm memory", addresses, cell: cell, first)
        first.invalidate()
        let second = pipeline(cacheFolder)
        let disk = await DemoPass("warm disk", addresses, cell: cell, second)
        second.invalidate()

        print("\n" + table([cold, memory, disk]) + "\n")
        let path = PathText.join(options.out, "sheet.png")
        try await writeSheet(cold, count: sheetCount, to: path)
        print("contact sheet: \(path)")
        if let time = cold.timeToFirst {
            let seconds = Double(time.nanoseconds) / 1e9 + (options.spent ?? 0)
            let note = options.spent == nil ? "" : ", the build included"
            print("first image: \(FixedText.text(seconds, decimals: 1)) s of processor time\(note)")
        }
        return [cold, memory, disk].allSatisfy(\.failures.isEmpty)
    }

    private func pipeline(_ cacheFolder: String) -> ImagePipeline {
        ImagePipeline {
            $0.imageCache = .memory()
            $0.dataCache = .disk(path: cacheFolder)
            $0.dataLoader = SlowLoader($0.dataLoader, line)
        }
    }

    private func writeSheet(_ pass: DemoPass, count: Int, to path: String) async throws {
        let cells = addresses.prefix(count).enumerated().map { index, address in
            let name = address.split(separator: "/").last.map(String.init) ?? address
            guard let (image, time) = pass.cells[index] else {
                return ContactSheet.Cell(
                    label: name, detail: "not loaded", content: .failure(pass.failures[index] ?? "no image"))
            }
            return ContactSheet.Cell(
                label: name, detail: "\(image.size) after \(DurationText.text(time))", content: .image(image))
        }
        let title = "Firn: \(addresses.count) images, cold, in \(DurationText.text(pass.wall))"
        try await ContactSheet.draw(title: title, cells: Array(cells)).write(toPath: path)
    }

    /// Returns the passes as a table with one row each.
    private func table(_ passes: [DemoPass]) -> String {
        var table = TextTable([
            .init("pass", alignment: .left), .init("images"), .init("network"), .init("memory", "hits"),
            .init("disk", "hits"), .init("loads"), .init("coalesced"), .init("p50", "to image"),
            .init("p95", "to image"), .init("wall"), .init("peak", "memory"),
        ])
        for pass in passes {
            table.append([
                pass.name, "\(pass.images)", ByteText.text(pass.statistics.bytesLoaded),
                "\(pass.statistics.memoryHits)", "\(pass.statistics.diskHits)", "\(pass.statistics.transfers)",
                "\(pass.statistics.coalesced)", pass.times.percentile(50).map(DurationText.text) ?? "-",
                pass.times.percentile(95).map(DurationText.text) ?? "-",
                DurationText.text(pass.wall), ByteText.text(pass.peakMemory),
            ])
        }
        return table.lines.joined(separator: "\n")
    }
}
