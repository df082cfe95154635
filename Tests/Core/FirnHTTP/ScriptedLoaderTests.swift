import FirnData
import FirnTesting
import FoundationEssentials
import Testing

@Suite("Scripted loader", .timeLimit(.minutes(5)))
struct ScriptedLoaderTests {
    let loader = ScriptedLoader()
    let url = "https://a/x.png"

    @Test func `A scripted body arrives before the start returns, in chunks, with one good end`() {
        loader.respond(to: url, with: Data([1, 2, 3, 4, 5]), chunkSize: 2)
        let recorder = Recorder<DataEvent>()
        _ = loader.startLoading(DataRequest(url: url)) { recorder.add($0) }
        let result = recorder.record
        #expect(result.body == Data([1, 2, 3, 4, 5]))
        #expect(result.calls.count == 5)
        #expect(result.response?.url == url)
        #expect(result.response?.expectedLength == 5)
        #expect(result.ends == 1 && result.error == nil && result.violations.isEmpty)
        #expect(loader.requests.record.ended.map(\.url) == [url] && loader.requests.record.active == 0)
    }

    @Test func `An address without a response is a 404`() {
        let recorder = Recorder<DataEvent>()
        _ = loader.startLoading(DataRequest(url: url)) { recorder.add($0) }
        #expect(recorder.record.error?.cause == .status(404))
    }

    @Test func `A held address says nothing until it is released`() async {
        loader.respond(to: url, with: Data([1]))
        loader.hold(url)
        let recorder = Recorder<DataEvent>()
        _ = loader.startLoading(DataRequest(url: url)) { recorder.add($0) }
        #expect(recorder.record.response == nil && recorder.record.ends == 0)
        loader.release(url)
        #expect(recorder.record.body == Data([1]) && recorder.record.ends == 1)
    }

    @Test func `Events by hand arrive as sent, and wait while the transfer is paused`() async {
        loader.respondByHand(to: url)
        let recorder = Recorder<DataEvent>()
        let transfer = loader.startLoading(DataRequest(url: url)) { recorder.add($0) }
        let script = await loader.waitForRequest(url)
        script.respond()
        script.send(Data([1]))
        transfer.pause()
        script.send(Data([2]))
        script.finish()
        #expect(recorder.record.body == Data([1]) && recorder.record.ends == 0)
        transfer.resume()
        #expect(recorder.record.body == Data([1, 2]) && recorder.record.ends == 1)
        #expect(loader.pauses.calls.map(\.url) == [url] && loader.resumes.calls.map(\.url) == [url])
    }

    @Test func `A cancel ends a held, a paused and a delivering transfer, each exactly once`() async {
        loader.respond(to: url, with: Data([1, 2, 3]), chunkSize: 1)
        loader.hold(url)
        let held = Recorder<DataEvent>()
        let first = loader.startLoading(DataRequest(url: url)) { held.add($0) }
        first.cancel()
        first.cancel()
        loader.release(url)
        #expect(held.record.error?.cause == .cancelled && held.record.ends == 1 && held.record.response == nil)

        loader.respondByHand(to: url)
        let inside = Recorder<DataEvent>()
        let second = loader.startLoading(DataRequest(url: url)) { event in
            inside.add(event)
            if case .chunk = event { self.loader.transfers(self.url).last?.cancel() }
        }
        let script = await loader.waitForRequest(url, number: 2)
        script.respond()
        script.send(Data([1]))
        script.send(Data([2]))
        script.finish()
        second.cancel()
        #expect(inside.record.body == Data([1]))
        #expect(inside.record.error?.cause == .cancelled && inside.record.violations.isEmpty)
        #expect(loader.requests.record.cancelled.map(\.url) == [url, url])
    }

    @Test func `A finished transfer does not keep its receiver alive`() {
        final class Receiver: Sendable {}
        weak var receiver: Receiver?
        loader.respond(to: url, with: Data([1]))
        do {
            let strong = Receiver()
            receiver = strong
            _ = loader.startLoading(DataRequest(url: url)) { _ in withExtendedLifetime(strong) {} }
        }
        #expect(receiver == nil)
        #expect(loader.transfers(url).count == 1)
    }
}
