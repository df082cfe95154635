// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gtk-list",
    dependencies: [.package(name: "Firn", path: "../..", traits: [.defaults, "GTK"])],
    targets: [
        .executableTarget(name: "gtk-list", dependencies: [.product(name: "FirnGTK", package: "Firn")])
    ]
)
