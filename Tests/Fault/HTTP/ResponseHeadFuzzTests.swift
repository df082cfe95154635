import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

/// Tests malformed responses of every kind: each ends its transfer, and none ends the process.
@Suite(FuzzRuns.timeLimit) struct `Responses that are not HTTP` {
    @Test(arguments: ["000", "001", "007", "099"])
    func `A status below 100 is an error`(status: String) async throws {
        let rig = try HostileRig()
        for rest in ["", "Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n"] {
            let message = await rig.message(.raw("HTTP/1.1 \(status) What\r\n\(rest)\r\nab"))
            #expect(message.hasPrefix("source: the response is not HTTP: "), "\(message)")
        }
    }

    @Test func `Every status ends the load`() async throws {
        let rig = try HostileRig()
        for status in Array(0..<220) + Array(stride(from: 220, to: 1000, by: 7)) {
            let digits = String(repeating: "0", count: 3 - "\(status)".count) + "\(status)"
            let message = await rig.message(.raw("HTTP/1.1 \(digits) X\r\nContent-Length: 1\r\n\r\na"))
            #expect(message.hasPrefix("source: ") || (200..<300).contains(status), "\(status): \(message)")
        }
    }

    @Test func `An unrequested protocol change is an error`() async throws {
        let rig = try HostileRig()
        let head = "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
        #expect(await rig.message(.raw(head)) == "source: the server changes the protocol, which was not asked for")
    }

    @Test func `Interim responses neither end nor delay a load, up to a hundred`() async throws {
        let rig = try HostileRig()
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n"
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        #expect(await rig.message(.raw(interim + response)) == "2 bytes")
        let flood = String(repeating: interim, count: 51)
        #expect(await rig.message(.raw(flood + response)) == "source: more than 100 interim responses")
    }

    @Test func `A head that begins with a continued line uses nothing of the response before`() async throws {
        let rig = try HostileRig()
        for _ in 0..<20 {
            let good = "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "a", count: 300))\r\nContent-Length: 2\r\n\r\nok"
            #expect(await rig.message(.raw(good)) == "2 bytes")
            let folded = await rig.message(.raw("HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 2\r\n\r\nok"))
            #expect(folded.hasPrefix("source: "), "\(folded)")
        }
    }

    // MARK: Fuzzing

    private static let seeds = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nX-T: yes\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nhello",
        "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nhello",
        "HTTP/1.1 503 Busy\r\nRetry-After: 99999999999999999999\r\nKeep-Alive: timeout=0\r\n\r\n",
    ]
    private static let tokens = [
        "\r\n", "\r", "\n", "\r\n\r\n", ":", " ", "\t", "\0", "0", "000", "-1", "ffffffffffffffff", "7fffffffffffffff",
        "18446744073709551615", "9223372036854775807", "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 101 X\r\n\r\n",
        "HTTP/1.1 100 X\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", "Content-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Connection: close\r\n",
        "Upgrade: h2c\r\nConnection: upgrade\r\n", "Content-Encoding: deflate\r\n", "Content-Type:\r\n", ": x\r\n",
        "Location: //\r\n", "Location: http://[\r\n", " folded\r\n", "\u{fffd}",
    ]

    private static func mutant(_ random: inout SeededGenerator) -> [UInt8] {
        func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &random) }
        var bytes = Array(seeds[below(seeds.count)].utf8)
        for _ in 0...below(4) {
            let place = below(bytes.count)
            switch below(5) {
            case 0: bytes[place] = UInt8(below(256))
            case 1: bytes.insert(contentsOf: Array(tokens[below(tokens.count)].utf8), at: place)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + below(40))], at: below(bytes.count))
            default:
                // A status of three random digits.
                if bytes.count > 12 { for index in 9..<12 { bytes[index] = UInt8(48 + below(10)) } }
            }
            if bytes.isEmpty { bytes = [0] }
        }
        return bytes
    }

    @Test func `Mutated responses, whole and in pieces, end as errors or bodies`() async throws {
        let seed: UInt64 = 16
        var random = SeededGenerator(seed: seed)
        let rig = try LoaderRig()
        for number in 0..<FuzzRuns.count(800) {
            let bytes = Self.mutant(&random)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let isDripping = number % 10 == 0
            var response = ScriptedResponse.steps(
                isDripping
                    ? [.drip(Data(bytes), pause: .zero), .cut]
                    : [.raw(Data(bytes[..<cut])), .raw(Data(bytes[cut...])), .cut], framing: .untilClose)
            response.hasHead = false
            rig.server.respond(to: "/x", with: response)
            let result = await rig.load("/x")
            #expect(result.violations.isEmpty, "seed \(seed), response \(number): \(result.violations)")
        }
        rig.server.respond(to: "/good", with: .body(Data("good".utf8)))
        let good = await rig.load("/good")
        #expect(good.body == Data("good".utf8), "\(String(describing: good.error))")
    }
}
