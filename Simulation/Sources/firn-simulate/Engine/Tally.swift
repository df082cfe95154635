/// Counts events, to show that a run has covered the cases that it is meant to test.
struct Tally {
    var steps = 0
    var clients = 0
    var cancels = 0
    var starts = 0
    var pauses = 0
    var stalls = 0
    var resumptions = 0
    var releases = 0
    var stops = 0
    var lingered = 0
    var kept = 0
    var earlySlices = 0
    var earlyFinishes = 0
    var earlyFailures = 0
    var previews = 0
    /// Previews of cached images, and slices that requested another run without more bytes.
    var stalePreviews = 0
    var looks = 0
    /// Transfers that were refused by their source and showed a stale image.
    var refusals = 0
    var parked = 0
    var excused = 0
    /// The largest number of starts that one job waited for.
    var longest = 0
    /// Received bytes that were dropped.
    var wastedBytes = 0
    /// Bytes that were sent and never read.
    var lostBytes = 0.0
    var receivedBytes = 0

    static func + (a: Tally, b: Tally) -> Tally {
        var sum = a
        sum.steps += b.steps
        sum.clients += b.clients
        sum.cancels += b.cancels
        sum.starts += b.starts
        sum.pauses += b.pauses
        sum.stalls += b.stalls
        sum.resumptions += b.resumptions
        sum.releases += b.releases
        sum.stops += b.stops
        sum.lingered += b.lingered
        sum.kept += b.kept
        sum.earlySlices += b.earlySlices
        sum.earlyFinishes += b.earlyFinishes
        sum.earlyFailures += b.earlyFailures
        sum.previews += b.previews
        sum.stalePreviews += b.stalePreviews
        sum.looks += b.looks
        sum.refusals += b.refusals
        sum.parked += b.parked
        sum.excused += b.excused
        sum.longest = max(a.longest, b.longest)
        sum.wastedBytes += b.wastedBytes
        sum.lostBytes += b.lostBytes
        sum.receivedBytes += b.receivedBytes
        return sum
    }
}

extension Tally: CustomStringConvertible {
    var description: String {
        """
        tasks \(clients), cancelled \(cancels); starts \(starts), stops \(stops), out of turn \(excused), \
        longest wait \(longest) starts
        transfers paused \(pauses), stalled \(stalls), went on \(resumptions), connections given up \(releases), let finish \(lingered), \
        kept \(kept)
        early slices \(earlySlices), finished early \(earlyFinishes), failed early \(earlyFailures), \
        previews \(previews), of kept images \(stalePreviews), looked again \(looks), refused \(refusals); \
        waited for memory \(parked)
        bytes received \(receivedBytes), wasted \(wastedBytes)
        """
    }
}
