@testable import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing
import FirnSync

@Suite struct ByteChainTests {
    /// A byte source that counts its reads, and fails on request.
    private final class Rest: ByteSource, @unchecked Sendable {
        // Safety: used by one test, on one thread.
        var reads = 0
        var failing = false
        let count: Int
        private let there: Int

        init(_ count: Int, there: Int? = nil) {
            self.count = count
            self.there = there ?? count
        }

        struct Unreadable: Error, CustomStringConvertible {
            var description: String { "the medium is gone" }
        }

        func read(at offset: Int, count: Int) throws -> Data {
            reads += 1
            if failing { throw Unreadable() }
            return Data((offset..<max(offset, min(offset + count, there))).map { UInt8($0 % 251) })
        }
    }

    private func chain(_ parts: [Data]) -> ByteChain {
        var chain = ByteChain()
        for part in parts { chain.append(part) }
        return chain
    }

    @Test func `any range reads the same however the bytes were split`() {
        let whole = Data(0..<60)
        for length in 1...7 {
            let chain = chain(stride(from: 0, to: 60, by: length).map { whole[$0..<min(60, $0 + length)] })
            for offset in 0...60 {
                for count in 0...(60 - offset) {
                    #expect(chain.bytes(at: offset, count: count) == whole[offset..<offset + count])
                }
                #expect(chain.bytes(at: offset, count: 61 - offset) == nil)
            }
            #expect(chain.big(3, 4) == 0x0304_0506)
            #expect(chain.little(3, 4) == 0x0605_0403)
            #expect(chain.byte(at: 60) == nil && chain.byte(at: 59) == 59)
        }
    }

    @Test func `byte sources are read block by block, on demand`() {
        let rest = Rest(3 << 20)
        var chain = ByteChain()
        chain.append(Data([9, 9]))
        chain.append(rest)
        #expect(rest.reads == 0)
        #expect(chain.byte(at: 2 + 2_000_000) == UInt8(2_000_000 % 251))
        #expect(chain.bytes(at: 2 + 2_000_010, count: 3)?.first == UInt8(2_000_010 % 251))
        #expect(rest.reads == 1)
        let border = 256 << 10
        #expect(chain.bytes(at: 2 + border - 2, count: 4) == Data((border - 2..<border + 2).map { UInt8($0 % 251) }))
        #expect(rest.reads == 3)
    }

    @Test func `bytes that end early or cannot be read are an error with a reason`() {
        let short = Rest(1000, there: 10)
        var chain = ByteChain()
        chain.append(short)
        #expect(chain.bytes(at: 0, count: 10)?.count == 10)
        #expect(chain.bytes(at: 5, count: 10) == nil)
        #expect(chain.readFailure?.contains("shorter") == true)
        let broken = Rest(1000)
        broken.failing = true
        chain = ByteChain()
        chain.append(broken)
        #expect(chain.byte(at: 3) == nil)
        chain.join()
        #expect(chain.readFailure == "the medium is gone")
    }

    @Test func `a stream returns its parts in order, as they arrive`() {
        var chain = chain([Data([1, 2, 3]), Data([4, 5])])
        let stream = ByteStream(
            parts: [.made(Data([100])), .file(1..<4), .made(Data([101])), .file(4..<9)], isComplete: true)
        var position = ByteStream.Position()
        var read: [UInt8] = []
        while let next = stream.next(in: chain, from: &position), !next.bytes.isEmpty { read += next.bytes }
        #expect(read == [100, 2, 3, 4, 101, 5])
        chain.append(Data([6, 7, 8, 9]))
        let next = stream.next(in: chain, from: &position)
        #expect(next?.bytes == Data([6, 7, 8, 9]) && next?.isLast == true)
    }

    @Test func `a file that ends early ends its stream`() {
        var chain = chain([Data([1, 2])])
        let stream = ByteStream(parts: [.file(0..<9)], isComplete: true)
        var position = ByteStream.Position()
        #expect(stream.next(in: chain, from: &position)?.isLast == false)
        #expect(stream.next(in: chain, from: &position) == nil)
        chain.finish()
        let end = stream.next(in: chain, from: &position)
        #expect(end?.bytes.isEmpty == true && end?.isLast == true)
    }
}
