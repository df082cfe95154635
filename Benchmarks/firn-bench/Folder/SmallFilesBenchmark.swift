import Firn
import FirnFigures

/// Measures what a small file costs beyond the bare codec: 10,000 JPEGs of about 20 KB to 128 pixels.
struct SmallFilesBenchmark {
    let images: [String]
    let rounds: Int
    static let count = 10_000
    static let side = 128

    func run() -> [Figure] {
        let own = CommandLine.arguments[0]
        let list = images.joined(separator: "\n")
        let side = "\(SmallFilesBenchmark.side)"
        func cpu(_ name: String) -> Double? {
            ChildProcess.run([own, "--child", name, side], input: list).map { $0.cpu / Double(images.count) * 1e6 }
        }
        _ = cpu("jpeg")
        var rests: [Double] = []
        var bares: [Double] = []
        for _ in 0..<rounds {
            guard let mine = cpu("firn"), let bare = cpu("jpeg") else {
                print("folder.small: the children did not run")
                return []
            }
            rests.append(mine - bare)
            bares.append(bare)
        }
        return [
            Figure(
                name: "folder.small.overhead", value: rests.median, unit: "µs",
                peer: "bare library", peerValue: bares.median)
        ]
    }
}
