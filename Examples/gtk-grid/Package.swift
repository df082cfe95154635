// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gtk-grid",
    dependencies: [.package(name: "Firn", path: "../..", traits: [.defaults, "GTK"])],
    targets: [
        .executableTarget(name: "gtk-grid", dependencies: [.product(name: "FirnGTK", package: "Firn")])
    ]
)
