import FirnImage
import Testing

@testable import FirnAnimation
@testable import FirnPipeline

@Suite struct PlaybackScheduleTests {
    /// Frames of 100, 50 and 200 ms.
    private func timeline(
        _ durations: [Int] = [100, 50, 200], _ repetition: RepetitionCount = .forever, isAllKnown: Bool = true
    ) -> AnimationTimeline {
        AnimationTimeline(
            durations: durations.map { .milliseconds($0) }, isAllKnown: isAllKnown, repetition: repetition)
    }

    private func ordinals(
        _ schedule: inout PlaybackSchedule, _ timeline: AnimationTimeline, at times: [Int]
    ) -> [Int] {
        times.map { time in
            schedule.advance(to: .milliseconds(time), timeline)
            return schedule.ordinal
        }
    }

    @Test func `each frame is due for its duration, play after play`() {
        var schedule = PlaybackSchedule()
        schedule.start(0, at: .milliseconds(1000), timeline())
        let times = [1000, 1099, 1100, 1149, 1150, 1349, 1350, 1450, 1500, 1700]
        #expect(ordinals(&schedule, timeline(), at: times) == [0, 0, 1, 1, 2, 2, 3, 4, 5, 6])
        #expect(schedule.nextChange == .milliseconds(1800))
    }

    @Test func `a late viewer skips frames, and a very late one continues with the next frame`() {
        var schedule = PlaybackSchedule()
        schedule.start(0, at: .zero, timeline())
        #expect(ordinals(&schedule, timeline(), at: [1100]) == [9])
        #expect(schedule.nextChange == .milliseconds(1150))
        #expect(ordinals(&schedule, timeline(), at: [2151]) == [10])
        #expect(schedule.nextChange == .milliseconds(2151 + 50))
    }

    @Test func `an earlier time changes nothing`() {
        var schedule = PlaybackSchedule()
        schedule.start(0, at: .zero, timeline())
        #expect(ordinals(&schedule, timeline(), at: [120, 20, 0]) == [1, 1, 1])
    }

    @Test(arguments: 1...3)
    func `the last frame of the last play stays`(plays: Int) {
        var schedule = PlaybackSchedule()
        let timeline = timeline([100, 50, 200], .plays(plays))
        schedule.start(0, at: .zero, timeline)
        var time = 0
        while time < 5000 {
            schedule.advance(to: .milliseconds(time), timeline)
            #expect(schedule.isFinished == (time >= 350 * plays))
            time += 50
        }
        #expect(schedule.ordinal == 3 * plays - 1)
        #expect(schedule.nextChange == nil)
    }

    @Test func `a single frame is finished after its time`() {
        var schedule = PlaybackSchedule()
        schedule.start(0, at: .zero, timeline([100]))
        #expect(ordinals(&schedule, timeline([100]), at: [500]) == [0])
        #expect(schedule.isFinished && schedule.nextChange == nil)
    }

    @Test func `a missing frame stops time`() {
        var schedule = PlaybackSchedule()
        let early = timeline([100, 50], isAllKnown: false)
        schedule.start(0, at: .zero, early)
        #expect(ordinals(&schedule, early, at: [100, 150, 700]) == [1, 1, 1])
        #expect(schedule.isWaiting && schedule.nextChange == nil)
        #expect(ordinals(&schedule, timeline(), at: [720, 919]) == [2, 2])
        #expect(schedule.nextChange == .milliseconds(920))
        #expect(ordinals(&schedule, timeline(), at: [920]) == [3])
    }

    @Test func `the end of the file ends a play that waits for frames`() {
        var schedule = PlaybackSchedule()
        schedule.start(0, at: .zero, timeline([100, 50], isAllKnown: false))
        schedule.advance(to: .milliseconds(400), timeline([100, 50], isAllKnown: false))
        var once = schedule
        once.advance(to: .milliseconds(500), timeline([100, 50], .once))
        #expect(once.isFinished && !once.isWaiting && once.ordinal == 1)
        schedule.advance(to: .milliseconds(500), timeline([100, 50]))
        #expect(schedule.ordinal == 2 && schedule.nextChange == .milliseconds(600))
    }

    @Test func `time stops while paused`() {
        var schedule = PlaybackSchedule()
        schedule.start(0, at: .zero, timeline())
        schedule.advance(to: .milliseconds(60), timeline())
        schedule.pause(at: .milliseconds(60))
        schedule.pause(at: .milliseconds(80))
        #expect(ordinals(&schedule, timeline(), at: [100, 9000]) == [0, 0])
        #expect(schedule.nextChange == nil)
        schedule.resume(at: .milliseconds(9000))
        #expect(schedule.nextChange == .milliseconds(9040))
        #expect(ordinals(&schedule, timeline(), at: [9039, 9040]) == [0, 1])
    }

    @Test func `time does not run before the start`() {
        var schedule = PlaybackSchedule()
        #expect(ordinals(&schedule, timeline(), at: [5000]) == [0])
        #expect(schedule.nextChange == nil && !schedule.isStarted)
    }
}
