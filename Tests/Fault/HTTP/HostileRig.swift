import FirnData
import FirnHTTP
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// A server that means ill, and a pipeline that meets it: what its user sees.
struct HostileRig {
    let server: ScriptedServer
    let pipeline: ImagePipeline

    /// - Parameter retries: how often a request is sent again.
    init(retries: Int = 0, _ change: (inout DataLoader.Configuration) -> Void = { _ in }) throws {
        server = try ScriptedServer()
        var settings = DataLoader.Configuration()
        settings.connectTimeout = .seconds(300)
        settings.idleTimeout = .seconds(300)
        settings.sizeLimit = 1 << 20
        change(&settings)
        var configuration = ImagePipeline.Configuration(dataLoader: DataLoader(configuration: settings), decoders: [])
        configuration.retries.limit = retries
        configuration.retries.firstDelay = .milliseconds(5)
        pipeline = ImagePipeline(configuration: configuration)
    }

    /// The bytes, or the message of the error.
    func load(_ path: String = "/x") async -> Result<Data, ImageLoadingError> {
        do throws(ImageLoadingError) {
            return .success(try await pipeline.data(for: ImageRequest(url: server.url(path))).0)
        } catch { return .failure(error) }
    }

    /// What a user is told when the server answers so.
    func message(_ answers: ScriptedAnswer...) async -> String {
        server.answer("/x", with: answers)
        switch await load() {
        case .success(let data): return "\(data.count) bytes"
        case .failure(let error): return "\(error.fault): \(error.message)"
        }
    }

    var ranges: [String?] { server.record.requests.map { $0.headers["Range"] } }
}
