import Firn
import FirnDemoServer
import FirnReport
import FirnSystem

/// Loads photographs over HTTP three times and shows the effect of the caches.
@main
enum DemoCommand {
    static func main() async {
        do {
            let options = try DemoOptions(SystemArguments.all[...])
            if options.showsHelp { return print(DemoOptions.usage) }
            if try await !run(options) { exit(1) }
        } catch {
            Terminal().write("firn-demo: \(error)\n")
            exit(error is DemoOptions.Fault ? 64 : 1)
        }
    }

    /// - Returns: whether every image was loaded.
    private static func run(_ options: DemoOptions) async throws -> Bool {
        let images =
            try options.source.map { try DemoImages.find($0) } ?? DemoImages.installed()
            ?? DemoImages.drawn(in: PathText.join(options.out, "drawn"))
        if images.files.isEmpty {
            return try await DemoRun(addresses: images.addresses(), options: options, line: .full).run()
        }
        let server = try DemoServer(files: images.files)
        defer { server.stop() }
        let speed = options.bandwidth > 0 ? FixedText.text(options.bandwidth, decimals: 1) + " Mbit/s" : "full speed"
        let latency = FixedText.text(options.latency, decimals: 0)
        print("\(images.count) images over HTTP at \(speed), \(latency) ms to the first byte")
        let addresses = images.addresses(port: server.port)
        return try await DemoRun(addresses: addresses, options: options, line: options.line).run()
    }
}
