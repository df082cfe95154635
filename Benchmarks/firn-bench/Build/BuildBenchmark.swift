import FirnFigures
import FirnSystem
import FoundationEssentials

/// Measures what a program of four lines that depends on Firn costs: CPU time of a clean debug build, packages fetched,
/// and the size of the stripped release executable.
///
/// The packages are created in a temporary folder and depend on this repository by its path, as a user's program does.
/// The peer of the default product is a program of async-http-client alone, which shares most of its packages.
struct BuildBenchmark {
    /// A program to build.
    private struct Consumer {
        let name: String
        let dependency: String
        let product: String
        let package: String
        let source: String
    }

    private static let client = Consumer(
        name: "client",
        dependency: #".package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0")"#,
        product: "AsyncHTTPClient", package: "async-http-client",
        source: "import AsyncHTTPClient\nprint(HTTPClient.shared.configuration.maximumUsesPerConnection ?? 0)\n")

    private let repository: String
    private let folder: String

    /// - Returns: `nil` if no temporary folder can be created.
    init?() {
        // `make bench` runs in the repository's folder.
        repository = FileManager.default.currentDirectoryPath
        var template = Array("/var/tmp/firn-bench-build-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func run() -> [Figure] {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let own = #".package(name: "Firn", path: "\#(repository)""#
        let load = """
            import Firn
            let image = try await ImagePipeline.shared.image(for: ImageRequest(url: CommandLine.arguments[1]))
            print(image.size)

            """
        let peer = cpu(of: BuildBenchmark.client)
        var figures: [Figure] = []
        for (consumer, peer) in [
            (Consumer(name: "http", dependency: "\(own))", product: "Firn", package: "Firn", source: load), peer),
            (
                Consumer(
                    name: "noHTTP", dependency: "\(own), traits: [\"AVIF\", \"HEIC\", \"JPEGXL\", \"TIFF\", \"SVG\"])",
                    product: "Firn", package: "Firn", source: load), nil
            ),
            (
                Consumer(
                    name: "codecs", dependency: "\(own), traits: [])", product: "FirnCodecs", package: "Firn",
                    source: "import FirnCodecs\nprint(ImageDecoders.standard.count)\n"), nil
            ),
        ] {
            guard let cpu = cpu(of: consumer) else {
                print("build: the program \(consumer.name) did not build")
                continue
            }
            let name = "build.\(consumer.name)"
            figures.append(
                Figure(
                    name: "\(name).cpu", value: cpu, unit: "s",
                    peer: peer.map { _ in "a program of async-http-client" },
                    peerValue: peer))
            figures.append(Figure(name: "\(name).packages", value: Double(packages(of: consumer)), unit: "packages"))
            if let size = strippedSize(of: consumer) {
                figures.append(Figure(name: "\(name).executable", value: size / 1_048_576, unit: "MiB"))
            }
        }
        return figures
    }

    private func path(_ consumer: Consumer) -> String { "\(folder)/\(consumer.name)" }

    /// Writes the package and builds it.
    private func cpu(of consumer: Consumer) -> Double? {
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "\(consumer.name)", dependencies: [\(consumer.dependency)],
                targets: [
                    .executableTarget(
                        name: "\(consumer.name)",
                        dependencies: [.product(name: "\(consumer.product)", package: "\(consumer.package)")])
                ])

            """
        let sources = "\(path(consumer))/Sources/\(consumer.name)"
        do {
            try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
            try Data(manifest.utf8).write(to: URL(filePath: "\(path(consumer))/Package.swift"))
            try Data(consumer.source.utf8).write(to: URL(filePath: "\(sources)/main.swift"))
        } catch {
            print("build: \(error)")
            return nil
        }
        // Order: packages are fetched first, because the time for that depends on the network.
        guard swift(consumer, ["package", "resolve"]) != nil else { return nil }
        return swift(consumer, ["build"])?.cpu
    }

    private func swift(_ consumer: Consumer, _ words: [String]) -> ChildProcess.Usage? {
        ChildProcess.run(
            ["swift", words[0], "--package-path", path(consumer)] + words.dropFirst())
    }

    private func packages(of consumer: Consumer) -> Int {
        let checkouts = "\(path(consumer))/.build/checkouts"
        return (try? FileManager.default.contentsOfDirectory(atPath: checkouts))?.count ?? 0
    }

    private func strippedSize(of consumer: Consumer) -> Double? {
        guard swift(consumer, ["build", "-c", "release"]) != nil else { return nil }
        let program = "\(path(consumer))/.build/release/\(consumer.name)"
        guard ChildProcess.run(["strip", program]) != nil else { return nil }
        var status = stat()
        guard stat(program, &status) == 0 else { return nil }
        return Double(status.st_size)
    }
}
