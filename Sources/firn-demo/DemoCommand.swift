import ArgumentParser
import Firn
import FirnReport
import FirnDemoServer

/// Loads photographs over HTTP three times and shows the effect of the caches.
@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn-demo",
        abstract: "Load photographs through the whole pipeline: cold, from memory, from disk.",
        discussion: """
            An embedded server on this machine serves the images at the speed of a phone's network.

            EXAMPLES
              firn-demo
              firn-demo --source ~/Images --latency 20 --bandwidth 100
              firn-demo --source urls.txt
            """)

    @Option(help: ArgumentHelp("A folder of images, or a text file with a URL a line.", valueName: "dir|list"))
    var source: String?

    @Option(help: ArgumentHelp("Latency to the first byte of the server, in milliseconds.", valueName: "ms"))
    var latency = 70.0

    @Option(
        help: ArgumentHelp(
            "Bandwidth of all connections together, in megabits a second; 0 for no limit.", valueName: "mbit"))
    var bandwidth = 10.0

    @Option(help: ArgumentHelp("The folder that results are written to.", valueName: "dir"))
    var out = "demo-out"

    func validate() throws {
        if !(0...60_000).contains(latency) { throw ValidationError("--latency takes milliseconds from 0 to 60000.") }
        if !(0...1_000_000).contains(bandwidth) {
            throw ValidationError("--bandwidth takes megabits a second, 0 for no limit.")
        }
    }

    func run() async throws {
        let isComplete: Bool
        do {
            let images = try DemoImages.find(source)
            if images.needsServer {
                let server = DemoServer(
                    files: images.files, latency: .milliseconds(latency),
                    bitsPerSecond: bandwidth > 0 ? Int(bandwidth * 1_000_000) : nil)
                print("\(images.count) images over HTTP at \(condition)")
                isComplete = try await server.run { port in
                    try await DemoRun(addresses: images.addresses(port: port), folder: out).run()
                }
            } else {
                isComplete = try await DemoRun(addresses: images.addresses(port: nil), folder: out).run()
            }
        } catch {
            Terminal().write("firn-demo: \(error)\n")
            throw ExitCode(1)
        }
        if !isComplete { throw ExitCode(1) }
    }

    private var condition: String {
        let speed = bandwidth > 0 ? "\(FixedText.text(bandwidth, decimals: 1)) Mbit/s" : "full speed"
        return "\(speed), \(FixedText.text(latency, decimals: 0)) ms to the first byte"
    }
}
