#!/usr/bin/env python3
"""Writes cubin-build/src/toolkit/wheels.txt: which wheels a release of CUDA consists of, and their SHA-256.

    tests/wheels.py 13.0 13.1 13.2 13.3 13.4 13.5 > cubin-build/src/toolkit/wheels.txt

Asks pip what it would install for each platform; nothing is downloaded but metadata. Needs pip 22.2 or newer.
"""

import json
import subprocess
import sys
import tempfile

TOOLKIT = ["nvcc", "crt", "nvvm", "cccl", "cudart", "cuobjdump", "nvdisasm"]
# Extra of the metapackage, which is also the component's name, and the package.
COMPONENTS = {name: f"nvidia-{name}" for name in ["curand", "cublas", "cufft", "cusparse", "nvtx"]}
# Has releases of its own, which go with every CUDA 13.
CUTLASS = "nvidia-cutlass==4.2.0.0"
PLATFORMS = {
    "linux-x86_64": ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64"],
    "linux-aarch64": ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"],
    "windows-x86_64": ["win_amd64"],
}
HEADER = """\
# The wheels of each release of CUDA that cubin-build installs, and their SHA-256 by platform; made by tests/wheels.py.
# release, part, package, hashes. `*`: goes with every release. `release` is the version of nvcc; the part `release` names
# the metapackage that pins the others.
"""


def asked(platform, requirements):
    """What pip would install: package -> (version, sha256)."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "install", "-q", "--dry-run", "--ignore-installed"]
        command += ["--report", f"{scratch}/report", "--target", f"{scratch}/target", "--only-binary=:all:"]
        for tag in PLATFORMS[platform]:
            command += ["--platform", tag]
        subprocess.run(command + requirements, check=True, stdout=sys.stderr)
        with open(f"{scratch}/report") as report:
            installs = json.load(report)["install"]
    found = {}
    for one in installs:
        name = one["metadata"]["name"].lower().replace("_", "-")
        found[name] = (one["metadata"]["version"], one["download_info"]["archive_info"]["hashes"]["sha256"])
    return found


def rows(release):
    extras = ",".join(TOOLKIT + list(COMPONENTS))
    by_platform = {p: asked(p, [f"cuda-toolkit[{extras}]=={release}.*"]) for p in PLATFORMS}
    packages = {}
    for platform, found in by_platform.items():
        for name, (version, sha256) in found.items():
            packages.setdefault((name, version), {})[platform] = sha256
    part_of = {package: component for component, package in COMPONENTS.items()}
    tools = ["nvcc", "crt", "cccl", "runtime", "cuobjdump", "nvdisasm"]
    part_of.update({f"nvidia-cuda-{tool}": "toolkit" for tool in tools})
    part_of.update({"nvidia-nvvm": "toolkit", "cuda-toolkit": "release"})
    version = next(version for name, version in packages if name == "nvidia-cuda-nvcc")
    for (name, own), hashes in sorted(packages.items()):
        if name in part_of:
            yield version, part_of[name], f"{name}=={own}", hashes


def main():
    print(HEADER, end="")
    table = [row for release in sys.argv[1:] for row in rows(release)]
    name = CUTLASS.split("==")[0]
    cutlass = asked("linux-x86_64", ["--no-deps", CUTLASS])[name][1]
    table.append(("*", "cutlass", CUTLASS, {platform: cutlass for platform in PLATFORMS}))
    for release, part, package, hashes in table:
        print(release, part, package, *(f"{platform}:{sha256}" for platform, sha256 in hashes.items()))


if __name__ == "__main__":
    main()
