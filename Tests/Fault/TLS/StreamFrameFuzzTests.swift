import FirnData
import FirnHTTP
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

/// Tests frames of HTTP/2 of every kind, valid and damaged: each ends its transfer, and none ends the process.
@Suite("Frames that are not HTTP/2", FuzzRuns.timeLimit)
struct StreamFrameFuzzTests {
    /// A frame on its way to the client.
    ///
    /// - Source: RFC 9113 section 4.1.
    private struct Frame {
        var type: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 1
        var payload: [UInt8] = []
        /// The difference of the length that is stated to that of the payload.
        var excess = 0

        var bytes: [UInt8] {
            let length = UInt32(truncatingIfNeeded: payload.count + excess)
            return [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
                + [UInt8(truncatingIfNeeded: length), type, flags]
                + (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) } + payload
        }
    }

    private static let (data, headers, reset, settings, push, ping, goAway, window, more):
        (
            UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
        ) = (0, 1, 3, 4, 5, 6, 7, 8, 9)

    /// A field that is not added to the table (RFC 7541 section 6.2.2).
    private static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8)
            + [UInt8(truncatingIfNeeded: value.utf8.count)] + Array(value.utf8)
    }

    private static let found = field(":status", "200") + field("content-length", "5")
    private static let hello = Array("hello".utf8)

    private static let seeds: [[Frame]] = [
        [Frame(type: headers, flags: 4, payload: found), Frame(type: data, flags: 1, payload: hello)],
        [
            Frame(type: headers, payload: Array(found[..<9])), Frame(type: more, flags: 4, payload: Array(found[9...])),
            Frame(type: data, flags: 9, payload: [2] + hello + [0, 0]),
        ],
        [
            Frame(type: headers, flags: 4, payload: field(":status", "103") + field("link", "</x>")),
            Frame(type: headers, flags: 4, payload: [0x88]), Frame(type: data, payload: hello),
            Frame(type: headers, flags: 5, payload: field("x-trailer", "yes")),
        ],
        [
            Frame(type: headers, flags: 4, payload: found), Frame(type: data, payload: [104]),
            Frame(type: reset, payload: [0, 0, 0, 2]),
        ],
        [Frame(type: headers, flags: 5, payload: field(":status", "302") + field("location", "/x"))],
        [
            Frame(
                type: settings, stream: 0,
                payload: [0, 1, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF, 0, 5, 0, 0xFF, 0xFF, 0xFF]),
            Frame(type: window, stream: 0, payload: [0x7F, 0xFF, 0xFF, 0xFF]),
            Frame(type: headers, flags: 5, payload: [0x3F, 0xE1, 0x1F, 0x88]),
        ],
    ]

    private static let tokens: [Frame] = [
        Frame(type: push, flags: 4, payload: [0, 0, 0, 2] + found),
        Frame(type: ping, stream: 0, payload: [1, 2, 3, 4, 5, 6, 7, 8]),
        Frame(type: ping, payload: [1]), Frame(type: goAway, stream: 0, payload: [0, 0, 0, 0, 0, 0, 0, 0]),
        Frame(type: goAway, stream: 0, payload: [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 11]),
        Frame(type: window, payload: [0, 0, 0, 0]), Frame(type: window, payload: [0x7F, 0xFF, 0xFF, 0xFF]),
        Frame(type: reset, payload: [0, 0, 0, 7]), Frame(type: reset, stream: 0, payload: [0, 0, 0, 7]),
        Frame(type: more, flags: 4, payload: found), Frame(type: data, stream: 3, payload: hello),
        Frame(type: data, stream: 0),
        Frame(type: headers, flags: 0x2D, payload: [1, 0x80, 0, 0, 1, 0] + found + [0]),
        Frame(type: 0xBB, stream: 7, payload: hello),
        Frame(type: headers, flags: 4, payload: field(":status", "101")),
        Frame(type: headers, flags: 4, payload: [0xFF, 0xFF, 0xFF, 0xFF]),
        Frame(type: headers, flags: 4, payload: field(":status", "99999") + field("Content-Length", "-1")),
        Frame(type: settings, stream: 0, payload: [0, 3, 0, 0, 0, 0]),
        Frame(type: settings, flags: 1, stream: 0, payload: [1]),
        Frame(type: data, flags: 8, payload: [255]),
    ]

    private static func mutant(_ random: inout SeededGenerator) -> [UInt8] {
        func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &random) }
        var frames = seeds[below(seeds.count)]
        for _ in 0...below(3) {
            let place = below(frames.count)
            switch below(8) {
            case 0: frames.insert(tokens[below(tokens.count)], at: below(frames.count + 1))
            case 1: frames.append(frames[place])
            case 2: frames[place].flags ^= 1 << UInt8(below(8))
            case 3: frames[place].stream = [0, 1, 2, 3, 0x7FFF_FFFF, 0xFFFF_FFFF][below(6)]
            case 4: frames[place].type = UInt8(below(12))
            case 5: frames[place].excess = [-1, 1, 9, 0xFF_FFFF][below(4)]
            default:
                guard !frames[place].payload.isEmpty else { continue }
                let byte = below(frames[place].payload.count)
                frames[place].payload[byte] = UInt8(below(256))
            }
        }
        let bytes = frames.flatMap(\.bytes)
        return below(8) == 0 ? Array(bytes[..<below(bytes.count)]) : bytes
    }

    @Test func `Mutated frames end as errors or bodies`() async throws {
        let authority = try TestAuthority()
        let reply = Locked<[UInt8]>([])
        let server = try await RawStreamServer(
            authority.sign("localhost"), [[.frames { reply.withLock { $0 } }]])
        var configuration = LoaderRig.patient
        configuration.authorities = Data(authority.certificate.utf8)
        let loader = DataLoader(configuration: configuration)
        func load() async -> Recorder<DataEvent>.Record {
            let recorder = Recorder<DataEvent>()
            _ = loader.startLoading(DataRequest(url: "https://localhost:\(server.port)/x")) { recorder.add($0) }
            return await recorder.end()
        }
        let seed: UInt64 = 37
        var random = SeededGenerator(seed: seed)
        var bodies = 0
        let count = FuzzRuns.count(300)
        for number in 0..<count {
            let bytes = Self.mutant(&random)
            reply.withLock { $0 = bytes }
            let result = await load()
            #expect(result.violations.isEmpty, "seed \(seed), response \(number): \(result.violations)")
            if result.error == nil { bodies += 1 }
        }
        // Both outcomes occur: the frames are neither all refused nor all believed.
        #expect(bodies > count / 30 && bodies < count - count / 30, "\(bodies)")
        reply.withLock { $0 = Self.seeds[0].flatMap(\.bytes) }
        #expect(await load().body == Data("hello".utf8))
    }
}
