import FirnSystem

// firn-traces [REQUESTS [SEED]]: ends with status 1 if the memory cache's policy misses its targets.
let length = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
let seed = CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 1
exit(ReplayReport(TraceCatalog.all(length: length, seed: seed)).printTable() ? 0 : 1)
