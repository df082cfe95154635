import FirnData

// Calls to the loader: one at a time, without the lock.
extension BodyTransfer {
    /// Makes a call, then the calls that became due during it.
    func perform(_ first: TransferMachine.Call?) {
        var next = first
        while let call = next {
            switch call {
            case .open(let offset, let number):
                let (order, rest, priority) = withState { state in
                    (
                        state.order, offset > 0 ? state.machine.rest(of: state.order?.job.request.dataRequest) : nil,
                        state.machine.sentPriority
                    )
                }
                // The transfer was cancelled and has reported its end.
                guard let order else { return }
                next = connect(number, order, rest: rest, priority)
                continue
            case .pause: handle?.pause()
            case .resume: handle?.resume()
            case .cancel: handle?.cancel()
            case .prioritise(let priority): handle?.setPriority(priority)
            case .close: withState { $0.closing.take() }?.value.cancel()
            }
            next = withState { state in
                state.machine.called()
                return state.nextCall()
            }
        }
    }

    var handle: (any DataTransfer)? { withState { $0.handle }?.value }

    /// Opens a connection.
    ///
    /// - Returns: the call that is due next.
    func connect(
        _ number: UInt32, _ order: Order, rest: DataRequest?, _ priority: DataPriority
    ) -> TransferMachine.Call? {
        let freshness = order.stage.environment.freshness
        var stale: StaleBytes?
        if let moment = freshness?.moment {
            stale = withState { state in
                state.times.requested = moment
                return state.isStaleRefuted ? nil : order.job.stale
            }
        }
        let handle = order.stage.open(order.job.request, rest: rest, checking: stale, priority: priority) {
            self.receive($0, number, freshness)
        }
        let (opened, next) = withState { state in
            let opened = state.machine.opened(number)
            if case .used = opened { state.handle = Box(handle) }
            return (opened, state.nextCall())
        }
        if case .useless = opened { handle.cancel() }
        return next
    }
}
