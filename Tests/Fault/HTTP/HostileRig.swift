import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// A malicious server and a pipeline that loads from it, as the user sees it.
struct HostileRig {
    let server: ScriptedServer
    let pipeline: ImagePipeline

    /// - Parameter retries: the number of retries of a request.
    init(retries: Int = 0, _ change: (inout DataLoader.Configuration) -> Void = { _ in }) throws {
        server = try ScriptedServer()
        var settings = DataLoader.Configuration()
        settings.connectTimeout = .seconds(300)
        settings.idleTimeout = .seconds(300)
        settings.limits.maximumBytes = 1 << 20
        change(&settings)
        var configuration = ImagePipeline.Configuration(dataLoader: DataLoader(configuration: settings), decoders: [])
        configuration.retries.limit = retries
        configuration.retries.firstDelay = .milliseconds(5)
        pipeline = ImagePipeline(configuration: configuration)
    }

    /// Returns the bytes, or the error with its message.
    func load(_ path: String = "/x") async -> Result<Data, ImageLoadingError> {
        do throws(ImageLoadingError) {
            return .success(try await pipeline.data(for: ImageRequest(url: server.url(path))).0)
        } catch { return .failure(error) }
    }

    /// Returns the message that a user gets for these responses.
    func message(_ responses: ScriptedResponse...) async -> String {
        server.respond(to: "/x", with: responses)
        switch await load() {
        case .success(let data): return "\(data.count) bytes"
        case .failure(let error): return "\(error.fault): \(error.message)"
        }
    }

    var ranges: [String?] { server.requests.calls.map { $0.headers["Range"] } }
}
