let length = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
let seed = CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 1
ReplayReport(TraceCatalogue.all(length: length, seed: seed)).printTable()
