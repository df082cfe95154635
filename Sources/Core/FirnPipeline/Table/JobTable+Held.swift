// The bytes that bodies hold until they are decoded.
//
// A transfer claims the bytes that its body may come to hold; a stalled one claims only what has arrived. A body claims
// its bytes until the last job that uses it has ended. If all claims exceed `StageLimits.heldBytes`, transfers stall:
// those of the lowest level first, then of the host with the largest claims, then the one that was started last. A
// stalled transfer keeps its slot and its connection, and its sender gets back-pressure. They proceed in the opposite
// order, each as soon as its claim fits.
//
// Invariant: of the transfers whose source has responded, at least one is not stalled. So a body that alone exceeds the
// limit arrives, too, and no transfer waits for another one that waits.
extension JobTable {
    /// Updates the claim of a running or paused transfer.
    mutating func claim(of job: Int32) {
        guard limits.heldBytes < .max else { return }
        let index = Int(jobs[job].transfer)
        let entry = transfers[index]
        claim(entry.isStalled ? entry.received : entry.claim, for: job)
        if entry.isStalled { leastGrowth = min(leastGrowth, growth(of: index)) }
        balanceHeld()
    }

    /// Sets the bytes that a job claims.
    mutating func claim(_ bytes: Int, for job: Int32) {
        // A single body beyond the limit counts as the limit. Sums cannot overflow.
        let bytes = min(max(0, bytes), limits.heldBytes, 1 << 40)
        let change = bytes - jobs[job].claim
        jobs[job].claim = bytes
        claimed += change
        if jobs[job].host >= 0 { hosts[jobs[job].host].claimed += change }
    }

    /// Stalls transfers until the claims fit, or lets stalled ones proceed. Visits the transfers only if one may
    /// change.
    mutating func balanceHeld() {
        while claimed > limits.heldBytes, transfers.reading > 1, let index = next(isStalled: false) {
            setStalled(index, true)
        }
        while transfers.stalled > 0, transfers.reading == 0 || leastGrowth <= limits.heldBytes - claimed {
            guard let index = next(isStalled: true) else { return }
            guard transfers.reading == 0 || growth(of: index) <= limits.heldBytes - claimed else {
                // Until more is free, or a transfer needs less.
                leastGrowth = growth(of: index)
                for other in 0..<transfers.count where transfers[other].isReading && transfers[other].isStalled {
                    leastGrowth = min(leastGrowth, growth(of: other))
                }
                return
            }
            setStalled(index, false)
        }
    }

    /// The bytes that a stalled transfer claims in addition if it proceeds.
    mutating func growth(of index: Int) -> Int {
        min(transfers[index].claim, limits.heldBytes) - jobs[transfers[index].job].claim
    }

    /// The transfer to stall next or, if `isStalled`, the one to proceed next.
    private func next(isStalled: Bool) -> Int? {
        var next: Int?
        for index in 0..<transfers.count
        where transfers[index].isReading && transfers[index].isStalled == isStalled {
            if let best = next, proceeds(index, before: best) != isStalled { continue }
            next = index
        }
        return next
    }

    func proceeds(_ index: Int, before other: Int) -> Bool {
        let (a, b) = (transfers[index], transfers[other])
        return (-a.level, claims(of: a.host), a.number) < (-b.level, claims(of: b.host), b.number)
    }

    private func claims(of host: Int32) -> Int { host >= 0 ? hosts[host].claimed : 0 }

    private mutating func setStalled(_ index: Int, _ isStalled: Bool) {
        let job = transfers[index].job
        transfers[index].isStalled = isStalled
        claim(isStalled ? transfers[index].received : transfers[index].claim, for: job)
        if isStalled { leastGrowth = min(leastGrowth, growth(of: index)) }
        guard let work = jobs[job].work else { return }
        orderNumber += 1
        orders.append(isStalled ? .stall(work, number: orderNumber) : .proceed(work, number: orderNumber))
    }
}
