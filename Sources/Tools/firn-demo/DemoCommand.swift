import Firn
import FirnDemoServer
import FirnReport
import FirnSystem
import FirnTesting

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
        let files = try DemoFiles(folder: PathText.join(options.out, "drawn"), source: options.source)
        let server = files.areElsewhere ? nil : try ScriptedServer(files: files.files)
        defer { server?.stop() }
        var addresses: [String] = []
        try files.visit(.large, port: server?.port ?? 0) {
            addresses.append($0)
            return true
        }
        if server != nil {
            let speed =
                options.bandwidth > 0 ? FixedText.text(options.bandwidth, decimals: 1) + " Mbit/s" : "full speed"
            let latency = FixedText.text(options.latency, decimals: 0)
            print("\(addresses.count) images over HTTP at \(speed), \(latency) ms to the first byte")
        }
        return try await DemoRun(
            addresses: addresses, options: options, line: server == nil ? .full : options.line
        ).run()
    }
}
