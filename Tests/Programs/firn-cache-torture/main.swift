import FirnCache
import FirnData
import FoundationEssentials
import FirnSystem

// The data cache's tests run this program in processes of their own:
//   work DIR SEED STEPS      uses the cache; ends with status 1 once it has read wrong data
//   kill DIR TIMES SEED      starts such processes, kills each at a random moment, and checks what they left
//   pyramids DIR SEED        builds pyramids of large images without end
//   kill-pyramids DIR TIMES SEED     starts such a process, kills it at a random moment, and checks what it left
//   crowd DIR PROCESSES STEPS SEED   runs several at once, and checks what they left
let arguments = Array(CommandLine.arguments.dropFirst())

func number(_ index: Int) -> Int { index < arguments.count ? Int(arguments[index]) ?? 0 : 0 }

func fail(_ message: String) -> Never {
    print(message)
    fflush(nil)
    exit(1)
}

func start(_ words: [String]) -> pid_t {
    var child = pid_t()
    let path = "/proc/self/exe"
    var texts: [UnsafeMutablePointer<CChar>?] = ([CommandLine.arguments[0]] + words).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    guard posix_spawn(&child, path, nil, nil, &texts, environ) == 0 else { fail("cannot start a process") }
    return child
}

/// Returns the status of a process that has ended; `nil` if a signal ended it. Any signal but `expected` is a failure.
func wait(for child: pid_t, expected: Int32? = nil) -> Int32? {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    if signal == 0 { return status >> 8 & 0xFF }
    if signal != expected { fail("signal \(signal) ended a process") }
    return nil
}

/// Starts a process, kills it after a random time, and returns its status; `nil` if it was killed.
func killed(_ words: [String], within microseconds: UInt64, _ random: inout UInt64) -> Int32? {
    let child = start(words)
    // Sleeps: the kill comes at a random moment of the process's work, from before its first call on.
    usleep(UInt32(Pattern.next(&random) % microseconds))
    FirnSystem.kill(child, SIGKILL)
    return wait(for: child, expected: SIGKILL)
}

guard arguments.count >= 3 else { fail("usage: work|kill|crowd DIR …") }
let directory = arguments[1]
switch arguments[0] {
case "work":
    exit(Workload(directory: directory, seed: UInt64(number(2))).run(steps: number(3)) ? 0 : 1)
case "kill":
    var random = UInt64(max(number(3), 1))
    var unborn = 0
    for round in 0..<number(2) {
        let words = ["work", directory, "\(Pattern.next(&random) >> 33)", "\(Int.max)"]
        if let status = killed(words, within: 25_000, &random) {
            if status != 0 { fail("round \(round), seed \(number(3)): a writer read what is not right") }
            unborn += 1
        }
        if let fault = Workload.fault(in: directory) { fail("round \(round), seed \(number(3)): \(fault)") }
    }
    let left = Workload.leftovers(in: directory)
    if !left.isEmpty { fail("temporary files stayed: \(left)") }
    print("\(number(2)) writers killed: every read was whole and right, or a miss")
case "pyramids":
    do { try PyramidWork(directory: directory).run(seed: number(2)) } catch { fail("\(error)") }
case "kill-pyramids":
    var random = UInt64(max(number(3), 1))
    let work = PyramidWork(directory: directory)
    var most = 0
    for round in 0..<number(2) {
        if killed(["pyramids", directory, "\(round * 1_000)"], within: 400_000, &random) != nil {
            fail("round \(round), seed \(number(3)): a builder ended by itself")
        }
        if let fault = work.fault { fail("round \(round), seed \(number(3)): \(fault)") }
        most = max(most, work.bytes)
    }
    // Each pyramid takes 2.3 MB. More than a few were left by processes that died before they gave a file its name.
    if most > 10_000_000 { fail("\(most) bytes stayed") }
    print("\(number(2)) builders killed: every pyramid was whole and right, or not there")
case "crowd":
    let children = (0..<number(2)).map { start(["work", directory, "\(number(4) + $0 * 7919)", "\(number(3))"]) }
    for child in children {
        guard wait(for: child) == 0 else { fail("a process read what is not right") }
    }
    if let fault = Workload.fault(in: directory, processes: number(2)) { fail(fault) }
    let left = Workload.leftovers(in: directory)
    if !left.isEmpty { fail("temporary files stayed: \(left)") }
    print("\(number(2)) processes: every read was whole and right, or a miss; limits held")
default: fail("usage: work|kill|crowd|pyramids|kill-pyramids DIR …")
}
