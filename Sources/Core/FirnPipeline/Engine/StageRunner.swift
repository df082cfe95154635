/// Runs the stages of jobs on the workers.
///
/// Apart from ``Engine``, since the pool refers to it weakly: every task retains the engine, and counting the
/// references of an object with weak ones costs several times as much.
final class StageRunner: Sendable {
    private let shell: TableShell
    private let sequence: StageSequence
    private let completion: Completion
    private let memory: DecodeMemory
    private let emitter: EventEmitter

    init(
        _ shell: TableShell, _ sequence: StageSequence, _ completion: Completion, _ memory: DecodeMemory,
        _ emitter: EventEmitter
    ) {
        self.shell = shell
        self.sequence = sequence
        self.completion = completion
        self.memory = memory
        self.emitter = emitter
    }
}

extension StageRunner: WorkerDuty {
    func turn(of worker: Int, isCalled: Bool) -> WorkerTurn { shell.turn(of: worker, isCalled: isCalled) }

    func perform(_ call: WorkerCall) { shell.perform(call) }

    func run(_ job: StartedJob, as worker: Int, _ ended: inout [ImageTask]) -> WorkerTurn {
        emitter.jobStarts(job, on: worker)
        let outcome = sequence.run(job)
        let turn = completion.finish(job, outcome, of: worker, &ended)
        if job.stage == .decode { memory.emitUsage() }
        return turn
    }

    func begin(_ job: StartedJob) {
        let outcome = sequence.run(job)
        // Order: a pending job may have ended already, on another thread.
        if case .pending = outcome { return }
        completion.finish(job, outcome)
    }
}
