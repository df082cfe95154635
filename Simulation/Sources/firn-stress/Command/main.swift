import FirnSystem

var values: [String: Int] = [:]
for argument in CommandLine.arguments.dropFirst(2) {
    let parts = argument.split(separator: "=")
    if parts.count == 2, let value = Int(parts[1]) { values[String(parts[0])] = value }
}
let code: Int32
switch CommandLine.arguments.dropFirst().first {
case "race": code = RaceRun(values).run()
case "churn": code = ChurnRun(values).run()
default:
    print("firn-stress race [seed=N] [threads=N] [deeds=N] [rounds=N] | churn [seed=N] [requests=N]")
    code = 2
}
exit(code)
