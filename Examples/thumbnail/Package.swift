// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "thumbnail",
    // No traits: JPEG, PNG, GIF, WebP, BMP, ICO and QOI are always built in. No package is fetched.
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "thumbnail",
            dependencies: [.product(name: "FirnCodecs", package: "Firn")])
    ]
)
