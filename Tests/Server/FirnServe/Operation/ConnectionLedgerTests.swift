import Testing

@testable import FirnServe

@Suite("The ledger of connections")
struct ConnectionLedgerTests {
    @Test func `a new connection takes the place of the one that was idle for longest`() {
        var ledger = ConnectionLedger(most: 3)
        let numbers = (0..<3).compactMap { _ in ledger.add()?.number }
        ledger.begin(numbers[0])
        #expect(ledger.add() == .init(number: 4, replaced: numbers[1]) && ledger.count == 3)
        ledger.end(numbers[0])
        #expect(ledger.add()?.replaced == numbers[2])
        #expect(ledger.add()?.replaced == 4)
        #expect(ledger.add()?.replaced == numbers[0])
    }

    @Test func `busy connections are never closed for a new one`() {
        var ledger = ConnectionLedger(most: 2)
        for _ in 0..<2 { if let number = ledger.add()?.number { ledger.begin(number) } }
        #expect(ledger.add() == nil && ledger.busy == 2)
    }

    @Test func `calls for a connection that is gone change nothing`() {
        var ledger = ConnectionLedger(most: 1)
        let first = ledger.add()?.number ?? 0
        ledger.remove(first)
        ledger.begin(first)
        ledger.end(first)
        #expect(ledger.count == 0 && ledger.busy == 0)
        #expect(ledger.add() == .init(number: 2, replaced: nil))
    }

    @Test func `a random series keeps the limit, and closes only idle connections in their order`() {
        var generator = SystemRandomNumberGenerator()
        var ledger = ConnectionLedger(most: 8)
        var idle: [UInt64] = []
        var busy: [UInt64] = []
        for _ in 0..<20_000 {
            switch UInt.random(in: 0..<4, using: &generator) {
            case 0:
                if let opening = ledger.add() {
                    if let old = opening.replaced {
                        #expect(idle.first == old)
                        idle.removeFirst()
                    }
                    idle.append(opening.number)
                } else {
                    #expect(idle.isEmpty && busy.count == 8)
                }
            case 1:
                guard let number = idle.randomElement(using: &generator) else { continue }
                idle.removeAll { $0 == number }
                busy.append(number)
                ledger.begin(number)
            case 2:
                guard !busy.isEmpty else { continue }
                let number = busy.removeFirst()
                idle.append(number)
                ledger.end(number)
            default:
                guard let number = (idle + busy).randomElement(using: &generator), Bool.random(using: &generator) else {
                    continue
                }
                idle.removeAll { $0 == number }
                busy.removeAll { $0 == number }
                ledger.remove(number)
            }
            #expect(ledger.count == idle.count + busy.count && ledger.count <= 8 && ledger.busy == busy.count)
        }
    }
}
