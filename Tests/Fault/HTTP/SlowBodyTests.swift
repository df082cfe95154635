import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Slow bodies over the network` {
    private let drip = ScriptedResponse.steps(
        [.drip(Data(count: 9999), pause: .milliseconds(2))], framing: .statedLength(9999))

    @Test func `A body below the low-speed limit is a timeout`() async throws {
        let rig = try LoaderRig {
            $0.lowSpeedLimit = 1_000_000
            $0.lowSpeedTime = .milliseconds(300)
        }
        rig.server.respond(to: "/x", with: drip)
        let result = await rig.load("/x")
        #expect(
            result.error
                == DataLoadingError(.timeout, "less than 1000000 bytes a second received for 0.3 seconds"))
        #expect(result.violations.isEmpty)
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `Without a limit a slow body arrives`() async throws {
        let rig = try LoaderRig {
            $0.lowSpeedLimit = 0
            $0.lowSpeedTime = .milliseconds(1)
        }
        rig.server.respond(
            to: "/x", with: .steps([.drip(Data(count: 50), pause: .milliseconds(3))], framing: .statedLength(50)))
        #expect(await rig.load("/x").body.count == 50)
    }

    @Test func `A transfer beyond its total limit is not retried`() async throws {
        let rig = try HostileRig(retries: 2) { $0.totalTimeout = .milliseconds(300) }
        #expect(await rig.message(drip) == "source: not finished within 0.3 seconds")
        #expect(rig.ranges.count == 1)
    }
}
