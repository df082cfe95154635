import FirnData
import Testing

@testable import FirnPipeline

@Suite struct EventQueueTests {
    private func progress(_ completed: Int) -> ImageTask.Event {
        .progress(ImageTask.Progress(completed: completed, total: nil))
    }

    private func words(_ queue: inout EventQueue) -> [String] {
        var words: [String] = []
        while let event = queue.take() { words.append(TaskFixture.word(event)) }
        return words
    }

    @Test func `A newer preview takes the place of the older one, behind what came in between`() throws {
        var queue = EventQueue(.everything)
        queue.put(.preview(try TaskFixture.response(1, isPreview: true)))
        queue.put(progress(5))
        queue.put(.preview(try TaskFixture.response(2, isPreview: true)))
        #expect(queue.hasPreview)
        #expect(words(&queue) == ["p5", "v2"])
        #expect(!queue.hasPreview)
    }

    @Test func `The end takes a waiting preview's place, and nothing follows it (F5)`() throws {
        var queue = EventQueue(.everything)
        queue.put(progress(5))
        queue.put(.preview(try TaskFixture.response(1, isPreview: true)))
        queue.put(.finished(.success(try TaskFixture.response(9, isPreview: false))))
        queue.put(.preview(try TaskFixture.response(2, isPreview: true)))
        queue.put(progress(6))
        queue.put(.finished(.failure(.cancelled(source: ""))))
        #expect(!queue.isOver)
        #expect(words(&queue) == ["p5", "image"])
        #expect(queue.isOver)
    }

    @Test(arguments: [(403, ["v1", "failure"]), (404, ["failure"])])
    func `Only a refusal leaves a waiting preview`(status: Int, left: [String]) throws {
        var queue = EventQueue(.everything)
        queue.put(.preview(try TaskFixture.response(1, isPreview: true)))
        let error = ImageLoadingError(DataLoadingError(.status(status), "no"), for: ImageRequest(url: "http://a/x"))
        queue.put(.finished(.failure(error)))
        #expect(words(&queue) == left)
    }

    @Test func `Progress never goes back`() {
        var queue = EventQueue(.everything)
        for completed in [3, 2, 3, 4] { queue.put(progress(completed)) }
        #expect(words(&queue) == ["p3", "p4"])
        queue.put(progress(4))
        #expect(words(&queue) == [])
    }

    @Test func `Old progress is forgotten, the end is not`() throws {
        var queue = EventQueue(.everything)
        for completed in 1...1000 { queue.put(progress(completed)) }
        queue.put(.finished(.success(try TaskFixture.response(9, isPreview: false))))
        let words = words(&queue)
        #expect(words.count <= EventQueue.depth + 2)
        #expect(words.suffix(2) == ["p1000", "image"])
    }

    @Test func `Events without a subscriber are not queued`() throws {
        var queue = EventQueue(.previews)
        queue.put(progress(1))
        queue.put(.preview(try TaskFixture.response(1, isPreview: true)))
        #expect(words(&queue) == ["v1"])
        var ends = EventQueue([])
        ends.put(progress(1))
        ends.put(.preview(try TaskFixture.response(1, isPreview: true)))
        ends.put(.finished(.failure(.cancelled(source: ""))))
        #expect(words(&ends) == ["failure"])
    }

    @Test func `A closed queue takes nothing`() throws {
        var queue = EventQueue(.everything)
        queue.put(.preview(try TaskFixture.response(1, isPreview: true)))
        queue.close()
        queue.put(progress(1))
        #expect(queue.isOver)
        #expect(words(&queue) == [])
    }
}
