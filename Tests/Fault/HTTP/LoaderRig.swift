import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

/// A server and a loader with short limits, for the tests in this folder.
struct LoaderRig {
    let server: ScriptedServer
    let loader: DataLoader

    init(_ change: (inout DataLoader.Configuration) -> Void = { _ in }) throws {
        server = try ScriptedServer()
        var configuration = LoaderRig.patient
        change(&configuration)
        loader = DataLoader(configuration: configuration)
    }

    /// A busy machine may let minutes pass between two steps; only tests of timeouts need short ones.
    static var patient: DataLoader.Configuration {
        var configuration = DataLoader.Configuration()
        configuration.connectTimeout = .seconds(300)
        configuration.idleTimeout = .seconds(300)
        configuration.lowSpeedTime = .seconds(300)
        return configuration
    }

    func start(_ path: String, headers: HTTPHeaderFields = [:]) -> (any DataTransfer, Recorder<DataEvent>) {
        let recorder = Recorder<DataEvent>()
        let request = DataRequest(url: server.url(path), headers: headers)
        return (loader.startLoading(request) { recorder.add($0) }, recorder)
    }

    func load(_ path: String, headers: HTTPHeaderFields = [:]) async -> Recorder<DataEvent>.Record {
        await start(path, headers: headers).1.end()
    }

    func load(url: String) async -> Recorder<DataEvent>.Record {
        let recorder = Recorder<DataEvent>()
        _ = loader.startLoading(DataRequest(url: url)) { recorder.add($0) }
        return await recorder.end()
    }

    /// Returns bytes that differ by position.
    static func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) })
    }
}

/// The number of cases of the fuzzers of responses: what `FIRN_FUZZ_RUNS` says, or what the tests have time for.
enum FuzzRuns {
    private static let wish = ProcessInfo.processInfo.environment["FIRN_FUZZ_RUNS"].flatMap { Int($0) }

    /// The time that a suite with a fuzzer may take.
    static var timeLimit: TimeLimitTrait { .timeLimit(.minutes(wish == nil ? 10 : 60)) }

    /// Returns the number of cases, which without a wish is the usual one.
    static func count(_ usual: Int) -> Int { wish ?? usual }
}
