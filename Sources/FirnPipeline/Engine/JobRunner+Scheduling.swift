import FirnSync

extension JobRunner {
    /// What may run at the same time.
    var scheduling: ImagePipeline.Scheduling {
        get { state.withLock { $0.scheduling } }
        set { changeScheduling { $0 = newValue } }
    }

    func changeScheduling(_ body: (inout ImagePipeline.Scheduling) -> Void) {
        let (call, orders, partial) = state.withLock { state in
            body(&state.scheduling)
            let limits = state.scheduling.stageLimits
            state.table.setLimits(limits)
            state.roster.setMaximum(JobRunner.workers(limits))
            return (state.call(), state.takeOrders(), state.scheduling.partialLimits)
        }
        keeper.setLimits(partial)
        perform(orders)
        perform(call)
    }

    /// As many threads as may have something to do at once; transfers need none. More than are wanted are never
    /// started.
    static func workers(_ limits: StageLimits) -> Int {
        min(limits.computing, 1 << 10) + min(limits.reading, 1 << 10) + limits.storing
            + min(limits.previewing, 1 << 10)
    }
}
