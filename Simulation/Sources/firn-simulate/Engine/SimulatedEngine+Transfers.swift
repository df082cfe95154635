// Models the network's effect on transfers, and the reports of the shell to the table.
extension SimulatedEngine {
    func link(_ work: Work) -> Link { links[max(0, work.host) % links.count] }

    /// Requests the body, or the rest of it.
    func beginTransfer(_ work: Work) {
        let link = link(work)
        if !work.transfer.hasBegun { inherit(work) }
        work.transfer.hasBegun = true
        work.transfer.epoch += 1
        if circumstances.isFirstHostDead, work.host == 0 {
            return plan(.timedOut(work, epoch: work.transfer.epoch), in: circumstances.patience.moment(&random))
        }
        // A new connection takes one round trip, and another one for TLS.
        let setup = link.idle.isEmpty ? 2 * link.roundTrip : 0
        let delay = setup + link.roundTrip + circumstances.thinking.moment(&random)
        plan(.responded(work, epoch: work.transfer.epoch), in: delay)
    }

    /// Takes over the bytes of another transfer of the same body.
    private func inherit(_ work: Work) {
        guard circumstances.keepsPartialBytes, let bytes = partial.take(work.key, now: now) else { return }
        work.transfer.received = bytes
        work.transfer.inherited = bytes
        work.transfer.reported = bytes
        table.transferBegan(
            work.ticket, with: bytes, expected: work.transfer.expected, now: now, makeChild: makeChild)
        settle()
    }

    /// Stores the received bytes for another transfer to resume from, if a range request is possible.
    private func leave(_ work: Work) {
        let bytes = work.transfer.received
        guard circumstances.keepsPartialBytes, work.transfer.isResumable, bytes > 0 else { return waste(bytes) }
        let before = partial.wasted
        partial.keep(bytes, of: work.key, count: bytes, now: now)
        waste(partial.wasted - before)
    }

    /// Handles the head of the response.
    func responded(_ work: Work, _ epoch: Int) {
        guard work.transfer.epoch == epoch, !work.isStopped, !work.transfer.isOver else { return }
        let link = link(work)
        link.advance(to: now)
        if work.transfer.received > 0, !work.transfer.isResumable || work.transfer.lies {
            // The response is not the rest of the received bytes, so the body is restarted.
            waste(work.transfer.received)
            work.transfer.received = 0
            work.transfer.reported = 0
            work.transfer.inherited = 0
        }
        let window = link.idle.popLast() ?? Link.firstWindow
        let flow = Flow(work, from: work.transfer.received, to: work.transfer.total, window: window)
        work.transfer.flow = flow
        work.transfer.hasResponded = true
        if !work.transfer.isReading {
            flow.end = min(flow.total, flow.delivered + flow.window + circumstances.receiveBuffer)
        }
        link.add(flow)
        if flow.total <= flow.delivered { flow.mark = flow.delivered }
        table.transferResponded(work.ticket, at: now)
        reschedule(link)
        settle()
        if work.transfer.total == work.transfer.received, !work.transfer.isOver { receive(work) }
    }

    /// Handles the end of the time for a response.
    func timeOut(_ work: Work, _ epoch: Int) {
        guard work.transfer.epoch == epoch, !work.isStopped, !work.transfer.isOver else { return }
        endTransfer(work, .failed)
    }

    /// Handles bytes that have reached their marks.
    func arrive(on index: Int) {
        let link = links[index]
        link.advance(to: now)
        let due = link.due()
        for flow in due {
            link.markNext(flow)
            if flow.isDiscarded {
                if flow.delivered >= flow.end { link.remove(flow) }
            } else if flow.work.transfer.flow === flow {
                receive(flow.work)
            }
        }
        reschedule(link)
    }

    private func reschedule(_ link: Link) {
        guard let index = links.firstIndex(where: { $0 === link }) else { return }
        if let moment = link.share() { queue.add(.link(index, version: link.version), at: max(now, moment)) }
    }

    /// Reads the bytes that have arrived.
    private func receive(_ work: Work) {
        guard let flow = work.transfer.flow, work.transfer.isReading, !work.isStopped, !work.transfer.isOver else {
            return
        }
        let bytes = Int(flow.delivered)
        tally.receivedBytes += max(0, bytes - work.transfer.received)
        work.transfer.received = max(bytes, work.transfer.received)
        if case .breaks(let place) = work.transfer.fate, work.transfer.received >= place {
            endTransfer(work, .failed)
        } else if work.transfer.received >= work.transfer.total {
            endTransfer(work, .finished)
        } else if work.transfer.reported == 0 || work.transfer.received - work.transfer.reported >= worthTelling(work) {
            work.transfer.reported = max(1, work.transfer.received)
            table.transferProgressed(
                work.ticket, received: work.transfer.received, expected: work.transfer.expected, now: now,
                makeChild: makeChild)
            settle()
        }
    }

    /// Returns the number of new bytes between two reports to the table.
    private func worthTelling(_ work: Work) -> Int {
        work.transfer.expected.map { $0 < 256 << 10 } ?? false ? 8 << 10 : 64 << 10
    }

    private func endTransfer(_ work: Work, _ outcome: Table.Outcome) {
        let link = link(work)
        if let flow = work.transfer.flow {
            link.advance(to: now)
            link.remove(flow)
            if case .finished = outcome { link.idle.append(flow.window) }
        }
        if case .failed = outcome {
            let isDead = circumstances.isFirstHostDead && work.host == 0
            table.transferFailed(work.ticket, hasTimedOut: isDead || random.chance(circumstances.timeouts))
            // A failed transfer without new bytes would fail again.
            if work.transfer.received > work.transfer.inherited {
                leave(work)
            } else {
                waste(work.transfer.received)
            }
        }
        work.transfer.flow = nil
        work.transfer.isOver = true
        reschedule(link)
        if case .failed = outcome { fail(work) } else { finish(work, outcome) }
    }

    // MARK: Orders

    func pause(_ work: Work, _ number: UInt64) {
        guard number > work.transfer.number, !work.isStopped, !work.transfer.isOver else { return }
        work.transfer.number = number
        work.transfer.isReading = false
        tally.pauses += 1
        if let flow = work.transfer.flow {
            let link = link(work)
            link.advance(to: now)
            // Bytes in flight still arrive, and count.
            let flight = flow.isActive ? flow.rate * Double(link.roundTrip) : 0
            flow.end = min(flow.total, flow.delivered + flight + circumstances.receiveBuffer)
            flow.mark = flow.end
            reschedule(link)
        }
        if !isManual, random.chance(0.1) {
            plan(.died(work, number: number), in: Moment(1 + random.below(20)) * 1_000_000_000)
        }
    }

    func release(_ work: Work, _ number: UInt64) {
        guard number > work.transfer.number, !work.isStopped, !work.transfer.isOver else { return }
        work.transfer.number = number
        guard work.transfer.isResumable else { return }
        tally.releases += 1
        if work.transfer.hasBegun { detach(work) }
    }

    func resume(_ work: Work, _ number: UInt64) {
        guard number > work.transfer.number, !work.isStopped, !work.transfer.isOver else { return }
        work.transfer.number = number
        work.transfer.isReading = true
        tally.resumptions += 1
        if work.transfer.isDetached {
            work.transfer.isDetached = false
            if !isManual { beginTransfer(work) }
        } else if let flow = work.transfer.flow {
            let link = link(work)
            link.advance(to: now)
            let hasStopped = !flow.isActive && flow.delivered < flow.total
            flow.end = flow.total
            if hasStopped {
                flow.isBlocked = true
                plan(.unblocked(work, flow), in: link.roundTrip)
            }
            flow.mark = min(flow.end, flow.delivered + link.chunk)
            reschedule(link)
            receive(work)
        }
    }

    func unblock(_ work: Work, _ flow: Flow) {
        guard !work.isStopped, work.transfer.flow === flow else { return }
        let link = link(work)
        link.advance(to: now)
        flow.isBlocked = false
        reschedule(link)
    }

    func die(_ work: Work, _ number: UInt64) {
        guard work.transfer.number == number, work.transfer.hasBegun, !work.isStopped, !work.transfer.isOver,
            !work.transfer.isDetached
        else {
            return
        }
        if !work.transfer.isResumable {
            waste(work.transfer.received)
            work.transfer.received = 0
            work.transfer.reported = 0
        }
        detach(work)
    }

    /// Closes the connection and keeps the bytes.
    private func detach(_ work: Work) {
        work.transfer.epoch += 1
        work.transfer.isDetached = true
        if let flow = work.transfer.flow { discard(flow, link(work)) }
        work.transfer.flow = nil
    }

    func abandonTransfer(_ work: Work) {
        work.transfer.epoch += 1
        leave(work)
        if let flow = work.transfer.flow { discard(flow, link(work)) }
        work.transfer.flow = nil
    }

    /// Bytes in flight still use their share of the bandwidth, although they are discarded.
    private func discard(_ flow: Flow, _ link: Link) {
        link.advance(to: now)
        let flight = flow.isActive ? flow.rate * Double(link.roundTrip) : 0
        flow.isDiscarded = true
        flow.end = min(flow.end, flow.delivered + flight)
        flow.mark = flow.end
        tally.lostBytes += flow.end - Double(flow.work.transfer.received)
        if flow.delivered >= flow.end || flow.isBlocked { link.remove(flow) }
        reschedule(link)
    }

    private func waste(_ bytes: Int) { tally.wastedBytes += bytes }
}
