"""Print a software bill of materials (CycloneDX 1.5, JSON) of what is installed beside this Python: `make sbom`.

Each component has its name, version, package URL and licence as its own metadata states it, and the digests that
requirements.hashes holds for that release. Nothing is fetched, and two runs over one environment print the same.
"""

import json
import sys
from importlib.metadata import distributions

from install_locked import HASHES, canonical, plain, recorded


def licence(metadata):
    """The licence as a package states it: an expression, a short text, or its classifiers; None if it states none."""
    if expression := metadata.get("License-Expression"):
        return expression
    stated = metadata.get("License") or ""
    if stated and "\n" not in stated and len(stated) <= 80 and stated.upper() != "UNKNOWN":
        return stated
    kinds = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier") or [] if line.startswith("License ::")]
    return " OR ".join(kinds) or None


def component(metadata, known):
    """One installed package as CycloneDX describes it."""
    name, version = metadata["Name"], metadata["Version"]
    reference = f"pkg:pypi/{canonical(name)}@{version}"
    digests = sorted(known.get((canonical(name), plain(version)), ()))
    stated = licence(metadata)
    return {
        "type": "library",
        "bom-ref": reference,
        "name": name,
        "version": version,
        "purl": reference,
        **({"licenses": [{"license": {"name": stated}}]} if stated else {}),
        **({"hashes": [{"alg": "SHA-256", "content": digest} for digest in digests]} if len(digests) == 1 else {}),
        **({"properties": [{"name": "sha256-on-record", "value": d} for d in digests]} if len(digests) > 1 else {}),
    }


def bill(found, known, own="attention-book"):
    """The whole document: the book's package, and all others as its components, by name."""
    packages = {canonical(one["Name"]): one for one in found if one["Name"]}
    book = packages.pop(own, None)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": own, **({"version": book["Version"]} if book else {})},
            "tools": {"components": [{"type": "application", "name": "site/sbom.py"}]},
        },
        "components": [component(packages[name], known) for name in sorted(packages)],
    }


if __name__ == "__main__":
    everything = bill((one.metadata for one in distributions()), recorded(HASHES.read_text(encoding="utf-8")))
    json.dump(everything, sys.stdout, ensure_ascii=False, indent=2)
    print()
