"""Installing by digest, and the bill of materials: what is on record, and what is done about what is not."""

import hashlib
import zipfile
from email.message import Message

import pytest
from install_locked import HASHES, canonical, install, logical_lines, pinned, plain, recorded, without_hashes
from sbom import bill

ONE, TWO = "1" * 64, "2" * 64
TEXT = f"""\
# The digests.
Tiny_Pack==2.007 \\
    --hash=sha256:{ONE} \\
    --hash=sha256:{TWO}
torch==2.13.0 ; sys_platform != 'plan9' \\
    --hash=sha256:{ONE}
"""


def reported(name, version, digest):
    told = {"url": "https://example.org/x.whl", "archive_info": {"hashes": {"sha256": digest}}}
    return {"install": [{"metadata": {"name": name, "version": version}, "download_info": told}]}


def test_the_record_is_read_and_serves_as_a_constraint():
    assert recorded(TEXT) == {("tiny-pack", "2.7"): {ONE, TWO}, ("torch", "2.13"): {ONE}}
    assert without_hashes(TEXT) == "Tiny_Pack==2.007\ntorch==2.13.0 ; sys_platform != 'plan9'\n"


def test_every_pin_of_the_lock_has_digests_and_each_package_one_version():
    known = recorded(HASHES.read_text(encoding="utf-8"))
    pins = logical_lines(HASHES.with_name("requirements.lock").read_text(encoding="utf-8"))
    asked = {(canonical(name), plain(version)) for name, version in (pin.split("==") for pin in pins)}
    assert len(asked) > 200 and asked <= known.keys() and all(known.values())
    assert len({name for name, _ in known}) == len(known)


def test_a_package_is_installed_by_its_digests_on_record_whatever_its_index_states():
    lines, notes = pinned(reported("tiny.pack", "2.7", "3" * 64), recorded(TEXT))
    assert (lines, notes) == ([f"tiny-pack==2.7 --hash=sha256:{ONE} --hash=sha256:{TWO}"], [])


def test_what_is_not_on_record_is_refused_and_named():
    for name, version in (("stranger", "1.0"), ("tiny-pack", "2.8")):
        with pytest.raises(ValueError, match=rf"no digest of {name} {version}: run `make lock`"):
            pinned(reported(name, version, ONE), recorded(TEXT))


def test_a_build_of_torch_is_taken_at_its_indexs_word_and_no_other_build_is():
    lines, notes = pinned(reported("torch", "2.13.0+cpu", "3" * 64), recorded(TEXT))
    assert lines == [f"torch==2.13.0+cpu --hash=sha256:{'3' * 64}"] and "2.13.0+cpu" in notes[0]
    lines, notes = pinned(reported("tiny-pack", "2.7+mine", "3" * 64), recorded(TEXT))
    assert "3" * 64 not in lines[0] and notes == []  # pip will refuse it


def wheel(folder):
    """A package of one module, as a file that pip can install without a network."""
    path = folder / "tiny_pack-2.7-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_pack.py", "")
        archive.writestr("tiny_pack-2.7.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-pack\nVersion: 2.7\n")
        told = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr("tiny_pack-2.7.dist-info/WHEEL", told)
        archive.writestr("tiny_pack-2.7.dist-info/RECORD", "")
    return path


@pytest.mark.parametrize("honest", [True, False])
def test_pip_installs_the_file_on_record_and_no_other(tmp_path, monkeypatch, honest):
    digest = hashlib.sha256(wheel(tmp_path).read_bytes()).hexdigest() if honest else ONE
    (tmp_path / "hashes").write_text(f"tiny-pack==2.7 --hash=sha256:{digest}\n")
    (tmp_path / "requirements.txt").write_text("tiny-pack\n")
    monkeypatch.setattr("install_locked.HASHES", tmp_path / "hashes")
    options = ["--no-index", f"--find-links={tmp_path}", f"--target={tmp_path / 'site'}"]
    assert (install([str(tmp_path / "requirements.txt"), *options]) == 0) is honest
    assert (tmp_path / "site" / "tiny_pack.py").exists() is honest


def described(**fields):
    message = Message()
    for name, value in fields.items():
        message[name.replace("_", "-")] = value
    return message


def test_the_bill_names_each_package_with_its_licence_and_digests():
    packages = [
        described(Name="Tiny.Pack", Version="2.7", License_Expression="MIT"),
        described(Name="torch", Version="2.13.0+cpu", Classifier="License :: OSI Approved :: BSD License"),
        described(Name="attention-book", Version="0.1.0"),
        described(Name="own", Version="1", License="UNKNOWN"),
    ]
    whole = bill(packages, recorded(TEXT))
    own, tiny, torch = whole["components"]
    assert (whole["bomFormat"], whole["metadata"]["component"]["version"]) == ("CycloneDX", "0.1.0")
    assert (tiny["purl"], tiny["licenses"]) == ("pkg:pypi/tiny-pack@2.7", [{"license": {"name": "MIT"}}])
    assert [digest["value"] for digest in tiny["properties"]] == [ONE, TWO]
    assert torch["licenses"] == [{"license": {"name": "BSD License"}}]
    assert "hashes" not in torch and "properties" not in torch  # another build than the release on record
    assert "licenses" not in own and "hashes" not in own
