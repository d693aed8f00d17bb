"""Holds the packages of Cargo.lock against deny.toml: their licences, where they come from, and no wildcard versions.

`cargo deny check bans licenses sources` says the same where it is installed; compiling it takes longer than the tests of
a floor. Needs the package license-expression.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from license_expression import get_spdx_licensing

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def metadata(target):
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def shipped(found):
    """Ids of the packages that the workspace needs for more than its tests."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    reached, ahead = set(), list(found["workspace_members"])
    while ahead:
        package = ahead.pop()
        if package not in reached:
            reached.add(package)
            needs = nodes[package]["deps"]
            ahead += [need["pkg"] for need in needs if any(kind["kind"] != "dev" for kind in need["dep_kinds"])]
    return reached


def flaws(package, allowed, licensing):
    """What is wrong with a package, a sentence each."""
    name = f"{package['name']} {package['version']}"
    source = package["source"]
    if source not in (None, REGISTRY):
        yield f"{name} comes from {source}, not from crates.io."
    if source is None:
        for dependency in package["dependencies"]:
            if dependency["req"] == "*" and not dependency.get("path"):
                yield f"{name} asks for any version of {dependency['name']}."
    # Old manifests separate alternatives by a slash.
    stated = (package["license"] or "").replace("/", " OR ")
    if not stated:
        yield f"{name} states no licence."
        return
    try:
        expression = licensing.parse(stated, validate=False)
    except Exception as error:
        yield f"{name}: “{stated}” is no licence expression ({error})."
        return
    # With each licence that is allowed set to true, the expression says whether the package is.
    symbols = {symbol: licensing.TRUE if str(symbol) in allowed else licensing.FALSE for symbol in expression.symbols}
    if expression.subs(symbols).simplify() != licensing.TRUE:
        yield f"{name} is under {stated}, which deny.toml does not allow."


def main():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed = set(rules["licenses"]["allow"])
    licensing = get_spdx_licensing()
    found = metadata(rules["graph"]["targets"][0])
    used = shipped(found)
    packages = [package for package in found["packages"] if package["id"] in used]
    wrong = [flaw for package in packages for flaw in flaws(package, allowed, licensing)]
    print(f"{len(packages)} packages, {len(wrong)} flaws")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
