import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Events for observers` {
    private let recorder = Recorder<PipelineEvent>()

    private func fixture(
        decoder: ScriptedDecoder = ScriptedDecoder(), memory: Bool = false,
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> PipelineFixture {
        PipelineFixture(decoder: decoder, memory: memory) { configuration in
            configuration.observers = [recorder]
            change(&configuration)
        }
    }

    /// Returns the events as text, with jobs and tasks numbered by appearance.
    private func told() -> [String] { EventWords.of(recorder.calls) }

    @Test func `An observer receives each stage of a load, from start to end`() async throws {
        let fixture = fixture()
        _ = try await fixture.pipeline.image(for: fixture.image("a"))
        #expect(
            told() == [
                "task 1 starts", "job 1 transfer starts for 1", "job 1 transfer finished",
                "job 2 of 1 decode starts for 1",
                "job 2 decode finished 1200 px", "task 1 ends with 1200 px",
            ])
    }

    @Test func `The bytes in use are reported when they change, not after each decode`() async throws {
        let fixture = fixture()
        for name in ["a", "b", "c"] { _ = try await fixture.pipeline.image(for: fixture.image(name)) }
        let reports = await recorder.wait { $0.calls.contains { $0.name == .memoryUsed } }
        #expect(reports.calls.count { $0.name == .memoryUsed } == 1)
    }

    @Test func `An observer learns which job a joining task shares`() async throws {
        let fixture = fixture()
        let (first, url) = await fixture.startHeld("a")
        let second = fixture.pipeline.imageTask(with: url)
        fixture.loader.release(url)
        _ = try await first.image
        _ = try await second.image
        let decode = recorder.calls.compactMap { event -> PipelineEvent.JobStart? in
            if case .jobStarted(let start) = event.kind, start.stage == .decode { start } else { nil }
        }
        #expect(decode.map { Set($0.tasks) } == [[1, 2]])
    }

    @Test func `A memory hit is reported without a task`() async throws {
        let fixture = fixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        let before = told().count
        _ = try await fixture.pipeline.image(for: url)
        #expect(told().count == before + 1 && told().last == "hit")
    }

    @Test func `A cancellation is reported once, with the work that it stopped`() async throws {
        let fixture = fixture()
        let (task, _) = await fixture.startHeld("a")
        task.cancel()
        task.cancel()
        await recorder.wait { EventWords.of($0.calls).contains("job 1 transfer cancelled") }
        #expect(told().filter { $0 == "task 1 ends cancelled" }.count == 1)
    }

    @Test func `A failure is reported for the job and the task, with its cause`() async throws {
        let fixture = fixture()
        let url = "https://example.org/none"
        await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.image(for: url) }
        #expect(told().contains("job 1 transfer failed: source") && told().last == "task 1 ends: source")
    }

    @Test func `Pauses of a transfer and of a task are reported`() async throws {
        let fixture = fixture()
        let url = "https://example.org/a"
        let (task, transfer) = await fixture.start(url)
        transfer.respond()
        task.isPaused = true
        await recorder.wait { EventWords.of($0.calls).contains("job 1 paused") }
        task.isPaused = false
        await recorder.wait { EventWords.of($0.calls).contains("job 1 resumed") }
        transfer.send(ScriptedDecoder.image(PipelineFixture.size))
        transfer.finish()
        _ = try await task.image
        #expect(
            told().contains("task 1 rests") && told().contains("task 1 goes on") && told().contains("job 1 responded"))
    }

    @Test func `Every job that starts a stage ends it, and every task that starts ends`() async throws {
        let fixture = fixture(memory: true)
        let tasks = (0..<200).map { number in
            fixture.pipeline.imageTask(with: fixture.image("\(number % 50)"))
        }
        for (number, task) in tasks.enumerated() where number % 3 == 0 { task.cancel() }
        for task in tasks { _ = try? await task.image }
        await recorder.wait { EventBalance($0.calls).isEven }
        let balance = EventBalance(recorder.calls)
        #expect(balance.isEven && balance.tasks > 0 && balance.jobs > 0)
    }

    @Test func `Times do not run backwards, and waiting counts from when a job could start`() async throws {
        let fixture = fixture { $0.scheduling.transferLimit = 1 }
        let blocker = fixture.image("blocker")
        fixture.loader.hold(blocker)
        let first = fixture.pipeline.imageTask(with: blocker)
        _ = await fixture.loader.waitForRequest(blocker)
        let second = fixture.pipeline.imageTask(with: fixture.image("b"))
        fixture.loader.release(blocker)
        _ = try await first.image
        _ = try await second.image
        var asked: [PipelineEvent.Number: Duration] = [:]
        for event in recorder.calls {
            switch event.kind {
            case .taskStarted(let number, _): asked[number] = event.time
            case .jobStarted(let start) where start.stage == .transfer && start.tasks == [2]:
                #expect(start.waited > .zero && start.waited <= event.time - (asked[2] ?? .zero) + .milliseconds(1))
            case .jobEnded(let end): #expect(end.duration >= .zero)
            default: break
            }
        }
    }
}
