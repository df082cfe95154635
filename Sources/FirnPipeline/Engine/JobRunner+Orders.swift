import FirnData
import FirnImage
import FirnSync
import FirnSystem

// What the table decides about work that runs, and about time.
extension JobRunner {
    /// The time as the table is told it.
    static func now() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(time.tv_sec) &* 1_000_000_000 &+ Moment(time.tv_nsec)
    }

    /// Changes the table, and performs what follows from it.
    func change(_ body: (inout Table) -> Void) {
        let (call, orders, bytes) = state.withLock { state in
            body(&state.table)
            return (state.call(), state.takeOrders(), state.takeBytes())
        }
        perform(orders)
        perform(call)
        if bytes != 0 { memory?.add(bytes) }
    }

    /// Performs orders. Called without the lock, since loaders are users' code.
    func perform(_ orders: [Table.Order]) {
        for order in orders {
            observe(order)
            switch order {
            case .stop(let work): work.stop()
            case .pause(let work, let number): work.transfer?.pause(number: number)
            case .release(let work, let ticket, let number):
                guard let transfer = work.transfer, !transfer.release(number: number) else { break }
                state.withLock { $0.table.transferKept(ticket) }
            case .prioritise(let work, let level, let number): work.transfer?.prioritise(level, number: number)
            }
        }
    }
}

extension JobRunner.State {
    /// The worker to be called: because there is a job for it, or because nobody keeps the time.
    mutating func call() -> IdleWorkers.Call {
        // Mostly all are at work, or one is on its way: then there is nothing to find out.
        guard roster.canCall else { return .none }
        if table.hasRunnable { return roster.call() }
        guard let deadline = table.deadline, deadline < timekeeper?.until ?? .max else { return .none }
        return roster.call()
    }

    mutating func takeOrders() -> [JobRunner.Table.Order] {
        guard table.hasOrders else { return [] }
        let orders = table.takeOrders()
        for case .pause in orders { statistics.transfersPaused += 1 }
        return orders
    }

    /// A worker goes to sleep, and keeps the time if nobody else does or if it is to be earlier.
    ///
    /// - Returns: until when it sleeps, if it is not called before.
    mutating func sleeps(_ worker: Int) -> Moment? {
        roster.sleeps(worker)
        guard let deadline = table.deadline, deadline < timekeeper?.until ?? .max else { return nil }
        timekeeper = (worker, deadline)
        return deadline
    }

    /// A worker that slept is awake: by a call, or by itself.
    mutating func wakes(_ worker: Int, isCalled: Bool) {
        if timekeeper?.worker == worker { timekeeper = nil }
        if isCalled { roster.arrived() } else { roster.wakes(worker) }
    }
}

extension JobRunner {
    /// The work that fetches a request's bytes.
    func root(for request: ImageRequest, at now: Moment) -> Table.Root {
        let hasDataCache = environment.dataCache(for: request) != nil
        var root = Table.Root(
            work: JobWork(fetching: request, at: now),
            stage: ReadStage.first(for: request, hasDataCache: hasDataCache || environment.bitmapStore != nil))
        if let host = request.identities.host {
            root.host = host
            root.mayKeep = hasDataCache && request.options.writesDisk
        }
        return root
    }
}

extension JobWork {
    func resume(number: UInt64) { transfer?.resume(number: number) }
}
