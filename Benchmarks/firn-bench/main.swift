import Firn
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--child", "http-server"] {
    SmallServer.run()
    exit(0)
}
if arguments.count == 2, arguments[0] == "--child" {
    try await FolderChild.run(arguments[1])
    exit(0)
}
let options = BenchOptions(arguments)
// Order: the folder comes first, while this process is small: a child starts with its parent's peak memory.
var figures: [Figure] = []
if options.photographs.isEmpty {
    print("no photographs; name a folder with PHOTOGRAPHS=…")
} else {
    let rounds = options.rounds
    if options.wants("folder") {
        figures += FolderBenchmark(name: "folder", format: .jpeg, pictures: options.photographs, rounds: rounds).run()
    }
    for format in [ImageFormat.png, .webp] where options.wants("folder.\(format)") {
        guard let folder = ConvertedFolder(options.photographs, to: format) else { continue }
        figures += FolderBenchmark(
            name: "folder.\(format)", format: format, pictures: folder.pictures, rounds: rounds
        ).run()
        folder.remove()
    }
    if options.wants("formats") {
        figures += FormatBenchmark(photograph: options.photographs[0], rounds: rounds).run()
    }
    if options.wants("encoders") {
        figures += EncoderBenchmark(photographs: options.photographs, rounds: min(rounds, 3)).run()
    }
    if options.wants("gallery") {
        figures += GalleryBenchmark(pictures: options.photographs, rounds: min(rounds, 3)).run()
    }
}
if options.wants("bitmaps") {
    figures += try BitmapBenchmark(photograph: options.photographs.first, rounds: options.rounds).run()
}
if options.wants("processors") { figures += try ProcessingBenchmark(rounds: options.rounds).run() }
if options.wants("processors.quality") { figures += try ProcessingQuality().run() }
if options.wants("arrival") { figures += ArrivalBenchmark(rounds: options.rounds).run() }
if options.wants("http") { figures += await HTTPBenchmark(rounds: options.rounds).run() }
if options.wants("disk") { figures += try DiskBenchmark(rounds: options.rounds).run() }
if options.wants("reuse"), let benchmark = ReuseBenchmark() { figures += await benchmark.run() }
// Off the main actor: what is measured is the engine, not the hops to a main thread.
let requests = RequestBenchmark(count: 20_000, rounds: 5) { [options] in options.wants($0) }
figures += try await Task.detached { [requests] in try await requests.run() }.value
print(FigureTable.text(figures))
if let path = options.json { try FigureFile.writeJSON(figures, to: path) }
if let path = options.plot { try FigureFile.writePlot(figures, to: path) }
