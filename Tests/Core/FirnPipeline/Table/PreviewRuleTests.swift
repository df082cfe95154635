import Testing

@testable import FirnPipeline

/// Tests previews: those of cached images have a stage of their own, those of arriving images wait until they are worth
/// making.
@Suite struct PreviewRuleTests {
    private func add(_ name: String, _ stage: JobStage, to rig: TableRig) {
        rig.table.addDetached(TableRig.Work(name), stage: stage)
    }

    @Test func `A preview and a store run beside each other, each within its own limit`() {
        let rig = TableRig()
        for name in ["p1", "p2"] { add(name, .preview, to: rig) }
        for name in ["s1", "s2"] { add(name, .store, to: rig) }
        #expect(Set(rig.start()) == ["p1", "s1"])
        rig.finish("p1")
        #expect(rig.start() == ["p2"])
        rig.finish("s1")
        #expect(rig.start() == ["s2"])
    }

    @Test func `Previews do not count as pending stores`() {
        let rig = TableRig { $0.storeBacklog = 1 }
        for name in ["p1", "p2", "p3"] { add(name, .preview, to: rig) }
        rig.add("t")
        #expect(rig.start() == ["t", "p1"])
    }

    @Test func `Each of the two is suspended by its own switch`() {
        for (stage, started) in [(JobStage.store, "p"), (.preview, "s")] {
            let rig = TableRig { $0.suspended = StageSet(stage) }
            add("p", .preview, to: rig)
            add("s", .store, to: rig)
            #expect(rig.start() == [started])
        }
    }

    // MARK: Time

    private func slow() -> TableRig {
        TableRig {
            $0.minimumEarlyBytes = 1000
            $0.previewTime = 250 * TableRig.millisecond
        }
    }

    /// Starts the transfer `t`; its host responds, and its first bytes come after this time.
    private func receive(_ bytes: Int, of total: Int?, afterMilliseconds time: Int, _ rig: TableRig) {
        rig.add("t")
        _ = rig.start()
        rig.respond("t")
        rig.wait(milliseconds: time)
        rig.arrive("t", bytes, of: total)
    }

    @Test func `An early decode starts if the short rest of a body takes long`() {
        let rig = slow()
        receive(100, of: 400, afterMilliseconds: 100, rig)
        #expect(rig.start() == ["t/0"])
        // 300 bytes at 100 bytes in 100 ms.
        #expect(rig.timeLeft("t/0") == 300 * TableRig.millisecond)
    }

    @Test func `No early decode starts if the short rest of a body arrives soon`() {
        let rig = slow()
        receive(100, of: 900, afterMilliseconds: 10, rig)
        #expect(rig.start().isEmpty)
    }

    @Test func `Without a time threshold, bytes alone decide`() {
        let rig = TableRig {
            $0.minimumEarlyBytes = 1000
            $0.previewTime = 0
        }
        receive(1, of: 900, afterMilliseconds: 10_000, rig)
        #expect(rig.start().isEmpty)
    }

    @Test func `A body of unknown length is expected to take as long again as it has`() {
        let rig = slow()
        receive(100, of: nil, afterMilliseconds: 300, rig)
        #expect(rig.start() == ["t/0"])
        #expect(rig.timeLeft("t/0") == 300 * TableRig.millisecond)
    }

    @Test func `Silence counts, however fast the earlier bytes arrived`() {
        let rig = slow()
        receive(1000, of: 3000, afterMilliseconds: 1, rig)
        #expect(rig.start() == ["t/0"])
        #expect(rig.timeLeft("t/0") == 2 * TableRig.millisecond)
        rig.wait(milliseconds: 500)
        #expect(rig.timeLeft("t/0") == 500 * TableRig.millisecond)
    }

    /// Returns a rig whose early decode has used all bytes, and runs again after 250 ms.
    private func starved() -> TableRig {
        let rig = slow()
        rig.add("t")
        _ = rig.start()
        rig.arrive("t", 1000, of: 3000)
        #expect(rig.start() == ["t/0"])
        rig.lookAgain("t/0", afterMilliseconds: 250)
        rig.finish("t/0", .starved)
        return rig
    }

    @Test func `A decode runs again at the time that it set, unless bytes arrive first`() {
        let rig = starved()
        #expect(rig.start().isEmpty)
        #expect(rig.table.deadline == 250 * TableRig.millisecond)
        rig.wait(milliseconds: 250)
        #expect(rig.start() == ["t/0"])
        rig.finish("t/0", .starved)
        rig.wait(milliseconds: 1000)
        #expect(rig.start().isEmpty, "it asked once")
    }

    @Test func `Bytes that arrive first cancel that time`() {
        let rig = starved()
        rig.wait(milliseconds: 100)
        rig.arrive("t", 1100, of: 3000)
        #expect(rig.start() == ["t/0"])
        rig.finish("t/0", .starved)
        rig.wait(milliseconds: 200)
        #expect(rig.start().isEmpty)
    }

    @Test func `The decode of a paused transfer also runs again at its time`() {
        let rig = starved()
        rig.add("other", key: "t", steps: [0])
        rig.setPaused("t", true)
        rig.wait(milliseconds: 250)
        #expect(rig.start() == ["t/0"])
    }
}
