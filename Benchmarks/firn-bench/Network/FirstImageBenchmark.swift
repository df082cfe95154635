import Firn
import FirnFigures
import FirnSystem
import FoundationEssentials

/// Measures how long a cold process takes to load one image over HTTPS, from its start to its end.
///
/// The server is the command `openssl`, with a certificate made for the run. The peer is a program in C that loads the
/// same bytes by libcurl and does not decode them.
enum FirstImageBenchmark {
    private static let rounds = 15
    /// The work of the process of Firn: loads and decodes as programs do by default, decodes without a decoder process, or
    /// loads the bytes alone; or starts and ends.
    private static let kinds = ["default", "in-process", "bytes", "nothing"]

    static func figures() -> [Figure] {
        let folder = "/dev/shm/firn-bench-first-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard prepare(folder), let server = ServerProcess(["sh", "-c", "cd \(folder) && \(serve)"]),
            let own = CommandLine.arguments.first, let slash = own.lastIndex(of: "/")
        else {
            print("network.first: the command openssl is not installed, or failed")
            return []
        }
        let words = ["https://localhost:\(server.port)/image", "\(folder)/own.pem"]
        let commands =
            kinds.map { ["/proc/self/exe", "--child", "first-image", $0] + words } + [
                ["\(own[..<slash])/bare-curl"] + words
            ]
        var (times, cpu) = (commands.map { _ in [Double]() }, commands.map { _ in [Double]() })
        // The first round fills the caches of the system and does not count.
        for round in 0...rounds {
            for (index, command) in commands.enumerated() {
                guard let usage = ChildProcess.run(command) else {
                    print("network.first: \(command.joined(separator: " ")) failed")
                    return []
                }
                guard round > 0 else { continue }
                times[index].append(usage.wall * 1000)
                cpu[index].append(usage.cpu * 1000)
            }
        }
        withExtendedLifetime(server) {}
        func figure(_ name: String, _ values: [[Double]], _ index: Int) -> Figure {
            Figure(
                name: name, value: values[index].median, unit: "ms", peer: "a program in C on libcurl",
                peerValue: values[kinds.count].median)
        }
        return kinds.enumerated().flatMap { index, kind in
            [
                figure("network.first.\(kind)", times, index), figure("network.first.\(kind).cpu", cpu, index),
            ]
        }
    }

    private static let serve =
        "exec openssl s_server -HTTP -accept 127.0.0.1:0 -cert own.pem -key own.key 2>/dev/null"

    /// Makes a certificate and a whole response with an image.
    private static func prepare(_ folder: String) -> Bool {
        let certificate =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout own.key "
            + "-out own.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let image = try Bitmap(size: PixelSize(256), format: .rgb8) { pixels in
                for y in 0..<256 {
                    pixels.row(y).initializeMemory(as: UInt8.self, repeating: UInt8(y), count: 256 * 3)
                }
            }
            guard let body = try ImageEncoders.encoder(for: .png)?.encode(image) else { return false }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(body.count)\r\n\r\n"
            try (Data(head.utf8) + body).write(to: URL(filePath: "\(folder)/image"))
        } catch {
            return false
        }
        return ChildProcess.run(["sh", "-c", "cd \(folder) && \(certificate)"]) != nil
    }

    /// Loads an image in this process, which has just started.
    static func run(_ kind: String, _ address: String, authority: String) async throws {
        guard kind != "nothing" else { return }
        var loading = DataLoader.Configuration()
        loading.furtherAuthorities = [try Data(contentsOf: URL(filePath: authority))]
        if kind == "in-process" { DecoderIsolation.standard = .none }
        var configuration = ImagePipeline.Configuration.ephemeral
        configuration.dataLoader = DataLoader(configuration: loading)
        let pipeline = ImagePipeline(configuration: configuration)
        if kind == "bytes" {
            _ = try await pipeline.data(for: ImageRequest(url: address))
        } else {
            _ = try await pipeline.image(for: ImageRequest(url: address))
        }
    }
}
