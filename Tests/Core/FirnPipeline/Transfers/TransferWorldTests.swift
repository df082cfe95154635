import FirnData
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

/// A world with a server whose body changes, that lies about ranges, and whose connections die, and with a transfer
/// that is paused, released, resumed and cancelled at random.
///
/// In every case there is one end, and all bytes belong to one version.
private struct TransferWorld {
    /// The remaining events of a connection.
    struct Connection {
        let number: UInt32
        var response: DataResponse?
        var body: ArraySlice<UInt8>
        var error: DataLoadingError?
    }

    var random: SeededGenerator
    var machine = TransferMachine()
    let request = DataRequest(url: "http://a/x")
    var version = 0
    var connections: [Connection] = []
    var orders: UInt64 = 0
    var body: [UInt8] = []
    var ends: [DataLoadingError?] = []
    let hasValidator: Bool

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        hasValidator = Bool.random(using: &random)
        machine.begin(limit: 1000, priority: .normal)
    }

    static func bytes(of version: Int) -> [UInt8] {
        (0..<(50 + version * 7)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version &* 31) }
    }

    private mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &random) == 0 }

    private mutating func connect(_ from: Int, _ number: UInt32) {
        let asked = from > 0 ? machine.rest(of: request) : request
        let whole = TransferWorld.bytes(of: version)
        var headers = HTTPHeaderFields()
        if hasValidator { headers["ETag"] = "\"v\(version)\"" }
        var connection = Connection(
            number: number,
            response: DataResponse(url: request.url, status: 200, headers: headers, expectedLength: whole.count),
            body: whole[...], error: nil)
        let isSame = asked?.headers["If-Range"] == headers["ETag"]
        if from > 0, isSame || chance(3), from < whole.count {
            // A server that ignores the condition has another validator; a server may also err in the range.
            let start = chance(5) ? max(0, from - 1) : from
            let total = chance(5) ? whole.count + 1 : whole.count
            headers["Content-Range"] = chance(6) ? nil : "bytes \(start)-\(whole.count - 1)/\(total)"
            if chance(6) { headers["Content-Type"] = "multipart/byteranges; boundary=x" }
            if chance(6) { headers["ETag"] = nil }
            connection.body = whole[start...]
            connection.response = DataResponse(
                url: request.url, status: 206, headers: headers, expectedLength: whole.count - start)
        } else if from > 0, chance(4) {
            connection.response = nil
            connection.body = []
            connection.error = DataLoadingError(.status(416), "")
        } else if chance(3) {
            connection.response?.expectedLength = nil
        }
        if chance(8) { connection.error = DataLoadingError(.connection, "") }
        connections.append(connection)
    }

    mutating func call() {
        guard let call = machine.nextCall() else { return }
        if case .open(let from, let number) = call {
            connect(from, number)
            _ = machine.opened(number)
        } else {
            machine.called()
        }
        if case .cancel = call { die(DataLoadingError(.cancelled, "")) }
    }

    private mutating func die(_ error: DataLoadingError) {
        for index in connections.indices {
            connections[index].body = []
            connections[index].response = nil
            connections[index].error = error
        }
    }

    /// Sends the next event of a connection, whether the transfer still listens or not.
    mutating func speak() {
        guard let index = connections.indices.randomElement(using: &random) else { return }
        let number = connections[index].number
        if let response = connections[index].response {
            connections[index].response = nil
            if let error = machine.take(response, number, request) { ends.append(error) }
        } else if !connections[index].body.isEmpty {
            let count = Int.random(in: 1...20, using: &random)
            let piece = connections[index].body.prefix(count)
            connections[index].body.removeFirst(piece.count)
            if case .over(let error) = machine.take(Data(piece), number) { ends.append(error) }
        } else {
            let error = connections.remove(at: index).error
            if case .over(let error) = machine.end(error, number, request) { ends.append(error) }
        }
    }

    mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: version += 1
        case 1, 2: machine.pause(number: next())
        case 3: machine.release(number: next(), request)
        case 4, 5, 6: machine.resume(number: next(), request)
        case 7: if chance(30), machine.cancel() { ends.append(DataLoadingError(.cancelled, "")) }
        case 8: if chance(4) { die(DataLoadingError(.connection, "")) }
        case 9..<14: call()
        default: speak()
        }
    }

    /// Mostly returns the next number; sometimes an outdated one.
    private mutating func next() -> UInt64 {
        orders += 2
        return orders > 3 && chance(6) ? orders - 3 : orders
    }
}

extension TransferWorld {
    fileprivate mutating func finish() {
        machine.resume(number: orders + 10, request)
        for _ in 0..<2000 where machine.phase != .over {
            call()
            speak()
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A transfer among liars` {
    @Test func `It ends once, with the bytes of one version or an error`() {
        var (whole, failed, resumed) = (0, 0, 0)
        for seed in UInt64(0)..<4000 {
            var world = TransferWorld(seed: seed)
            for _ in 0..<120 where world.ends.isEmpty { world.step() }
            if world.ends.isEmpty { world.finish() }
            guard world.ends.count == 1, world.machine.phase == .over else {
                Issue.record("seed \(seed): \(world.ends.count) ends, \(world.machine.phase)")
                continue
            }
            guard world.ends[0] == nil else {
                failed += 1
                continue
            }
            whole += 1
            if world.machine.number > 0, world.machine.edition == 0 { resumed += 1 }
            let bytes = world.machine.takeChunks().flatMap(Array.init)
            let versions = (0...world.version).map { TransferWorld.bytes(of: $0) }
            if !versions.contains(bytes) { Issue.record("seed \(seed): bytes of two versions") }
        }
        // Without these counts, the test would prove nothing.
        #expect(whole > 1000 && failed > 100 && resumed > 50, "\(whole) \(failed) \(resumed)")
    }
}
