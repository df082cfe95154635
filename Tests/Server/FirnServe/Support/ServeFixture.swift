import FirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Logging
import Testing

@testable import FirnServe

/// A folder of images, and a server in this process.
struct ServeFixture: Sendable {
    let folder: String
    let client: RawClient
    /// A client of the operator's port.
    let admin: RawClient
    let server: ImageServer

    static let keyPair = ImgproxyKeyPair(hexKey: "736563726574", hexSalt: "68656C6C6F")

    /// Runs a server with a folder that has `a.jpg` and `b.png` (1000 × 500), while `body` runs.
    ///
    /// - Parameters:
    ///   - logger: gets the log lines. Default: nothing does.
    ///   - options: what the status page shows as options.
    ///   - now: the seconds since 1970.
    static func run(
        _ change: (inout ServeSettings) -> Void = { _ in }, logger: Logger? = nil,
        options: [StatusPage.Option] = [],
        now: @escaping @Sendable () -> Int = ServeClock.seconds,
        _ body: (ServeFixture) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/firn-serve-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/images/sub", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, format) in [("a.jpg", ImageFormat.jpeg), ("sub/b.png", .png)] {
            try image(PixelSize(width: 1000, height: 500), format).write(to: URL(filePath: "\(folder)/images/\(name)"))
        }
        var settings = ServeSettings()
        settings.imgproxy.keyPairs = keyPair.map { [$0] } ?? []
        settings.localRoot = folder + "/images"
        settings.fileFreshness = .zero
        change(&settings)
        let address = ListenAddress(host: "127.0.0.1", port: 0)
        let server = try ImageServer(
            settings, listen: address, admin: address, options: options, logger: logger ?? quiet, now: now)
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let (adminPorts, administering) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer {
                    listening.finish()
                    administering.finish()
                }
                try await server.run(
                    handlesSignals: false, onAdmin: { administering.yield($0) }, onListening: { listening.yield($0) })
            }
            let port = try #require(await ports.first { _ in true })
            let adminPort = try #require(await adminPorts.first { _ in true })
            try await body(
                ServeFixture(
                    folder: folder, client: RawClient(port: port), admin: RawClient(port: adminPort), server: server))
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
    }

    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// An image with a white left half and a black right half.
    static func image(_ size: PixelSize, _ format: ImageFormat) throws -> Data {
        let bitmap = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y)
                row.initializeMemory(as: UInt8.self, repeating: 255, count: size.width / 2 * 3)
                (row + size.width / 2 * 3).initializeMemory(
                    as: UInt8.self, repeating: 0, count: (size.width - size.width / 2) * 3)
            }
        }
        return try #require(ImageEncoders.encoder(for: format)).encode(bitmap)
    }

    /// Signs a path.
    func signed(_ path: String) throws -> String {
        try #require(ImgproxySigner(settings: server.settings.imgproxy).signed(path: path))
    }

    /// Gets a signed path.
    func get(_ path: String, method: String = "GET", headers: [String: String] = [:]) async throws -> RawClient.Response
    {
        try await client.get(try signed(path), method: method, headers: headers)
    }

    /// The size and format of an encoded image.
    static func describe(_ bytes: [UInt8]) throws -> (format: ImageFormat?, size: PixelSize?) {
        let decoder = ImageDecoder(decoders: ImageDecoders.standard)
        try decoder.append(Data(bytes))
        decoder.finish()
        return (decoder.format, decoder.size)
    }
}
