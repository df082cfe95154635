import FirnData

// Calls to the loader: one at a time, without the lock.
extension BodyTransfer {
    /// Makes a call, then the calls that became due during it.
    func perform(_ first: TransferMachine.Call?) {
        var next = first
        while let call = next {
            switch call {
            case .open(let offset, let number):
                let (context, rest, priority) = withState { state in
                    (
                        state.context,
                        offset > 0 ? state.machine.rest(of: state.context?.job.request.dataRequest) : nil,
                        state.machine.sentPriority
                    )
                }
                // The transfer was cancelled and has reported its end.
                guard let context else { return }
                next = connect(number, context, rest: rest, priority)
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
        _ number: UInt32, _ context: Context, rest: DataRequest?, _ priority: DataPriority
    ) -> TransferMachine.Call? {
        let freshness = context.stage.freshness
        var stale: StaleBytes?
        if let moment = freshness?.moment {
            stale = withState { state in
                state.times.requested = moment
                return state.isStaleRefuted ? nil : context.job.stale
            }
        }
        let handle = context.stage.open(context.job.request, rest: rest, checking: stale, priority: priority) {
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
