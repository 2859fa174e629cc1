"""Installing by digest, and the bill of materials: what is on record, and what is done about what is not."""

import hashlib
import io
import tarfile
import zipfile
from email.message import Message

import pytest
from install_locked import (
    HASHES,
    PIP,
    canonical,
    install,
    logical_lines,
    pinned,
    plain,
    recorded,
    renew_pip,
    sorted_out,
    without_hashes,
)
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
        with pytest.raises(ValueError, match=rf"no digest of {name} {version}\. .*`make lock`.*UNCHECKED=1"):
            pinned(reported(name, version, ONE), recorded(TEXT))


def test_a_build_of_torch_is_taken_at_its_indexs_word_and_no_other_build_is():
    lines, notes = pinned(reported("torch", "2.13.0+cpu", "3" * 64), recorded(TEXT))
    assert lines == [f"torch==2.13.0+cpu --hash=sha256:{'3' * 64}"]
    assert "2.13.0+cpu" in notes[0] and "its index states it" in notes[0]
    lines, notes = pinned(reported("tiny-pack", "2.7+mine", "3" * 64), recorded(TEXT))
    assert "3" * 64 not in lines[0] and notes == []  # pip will refuse it


def test_a_build_of_torch_on_this_machine_needs_nobody_to_state_its_digest(tmp_path):
    """pip 23.0, which comes with Python 3.11 on Debian, reports none of a file that lies in a folder."""
    file = tmp_path / "torch wheel.whl"
    file.write_bytes(b"a wheel")
    report = reported("torch", "2.13.0+cpu", None)
    report["install"][0]["download_info"] = {"url": file.as_uri(), "archive_info": {}}
    lines, notes = pinned(report, recorded(TEXT))
    assert lines == [f"torch==2.13.0+cpu --hash=sha256:{hashlib.sha256(b'a wheel').hexdigest()}"]
    assert len(notes) == 1 and "the file on this machine has it" in notes[0]
    report["install"][0]["download_info"]["url"] = "https://example.org/torch.whl"
    lines, notes = pinned(report, recorded(TEXT))
    assert lines == [f"torch==2.13.0+cpu --hash=sha256:{ONE}"] and notes == []  # pip will refuse it


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


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """One wheel in a folder: what puts its digest on record and gives arguments, and what says if it is installed."""
    path = wheel(tmp_path)

    def arguments(digest=None):
        digest = digest or hashlib.sha256(path.read_bytes()).hexdigest()
        (tmp_path / "hashes").write_text(f"tiny-pack==2.7 --hash=sha256:{digest}\n")
        (tmp_path / "requirements.txt").write_text("tiny-pack\n")
        monkeypatch.setattr("install_locked.HASHES", tmp_path / "hashes")
        options = ["--no-index", f"--find-links={tmp_path}", f"--target={tmp_path / 'site'}"]
        return [str(tmp_path / "requirements.txt"), *options]

    return arguments, (tmp_path / "site" / "tiny_pack.py").exists


@pytest.mark.parametrize("honest", [True, False])
def test_pip_installs_the_file_on_record_and_no_other(offered, honest):
    arguments, there = offered
    err = io.StringIO()
    assert (install(arguments(None if honest else ONE), io.StringIO(), err) == 0) is honest
    assert there() is honest
    told = ["nothing was installed: what came as tiny-pack==2.7 is not the file on record", "UNCHECKED=1"]
    assert all(one in err.getvalue() for one in told) is not honest


@pytest.mark.slow
def test_without_digests_it_is_installed_only_if_the_reader_says_so_and_that_is_said(offered):
    arguments, there = offered
    out, err = io.StringIO(), io.StringIO()
    assert install(["--unchecked", *arguments(ONE)], out, err) == 0 and there()
    assert "no digest is compared" in err.getvalue() and "unchecked" in out.getvalue()


def test_a_version_is_held_even_where_no_digest_is_compared(offered, tmp_path):
    arguments, there = offered
    asked = arguments(ONE)
    (tmp_path / "hashes").write_text(f"tiny-pack==2.8 --hash=sha256:{ONE}\n")
    assert install(["--unchecked", *asked], io.StringIO(), io.StringIO()) != 0 and not there()


def test_a_package_of_which_there_is_no_wheel_is_not_built(offered, tmp_path):
    arguments, there = offered
    asked = arguments()
    (tmp_path / "tiny_pack-2.7-py3-none-any.whl").unlink()
    with tarfile.open(tmp_path / "tiny_pack-2.7.tar.gz", "w:gz") as archive:
        source = tmp_path / "setup.py"
        source.write_text("raise SystemExit('code of a stranger ran')")
        archive.add(source, "tiny_pack-2.7/setup.py")
    out, err = io.StringIO(), io.StringIO()
    assert install(asked, out, err) != 0 and not there()
    assert "a stranger" not in out.getvalue()
    assert "tiny-pack" in out.getvalue() and "no wheel of it for Python 3." in err.getvalue()


@pytest.fixture
def asked_of_pip(monkeypatch, tmp_path):
    """How pip ends, which may be changed, and then what it was asked for; pip 26.3 is wanted."""
    asked = [0]
    (tmp_path / "pip.txt").write_text(f"pip==26.3 --hash=sha256:{ONE}\n")
    monkeypatch.setattr("install_locked.PIP", tmp_path / "pip.txt")
    monkeypatch.setattr("install_locked.pip.install", lambda options, *_: asked.append(options) or (asked[0], []))
    return asked


@pytest.mark.parametrize("there", ["23.2.1", "26.2.9", "9.0"])
@pytest.mark.parametrize("ending", [0, 1])
def test_an_older_pip_is_renewed_by_digest_and_does_if_that_fails(monkeypatch, asked_of_pip, tmp_path, there, ending):
    monkeypatch.setattr("install_locked.version", lambda name: there)
    asked_of_pip[0] = ending
    err = io.StringIO()
    renew_pip(io.StringIO(), err)
    _, options = asked_of_pip
    assert {"--require-hashes", "--no-deps", ":all:"} <= set(options)
    assert options[-2:] == ["--requirement", str(tmp_path / "pip.txt")]
    assert bool(err.getvalue()) == bool(ending)


@pytest.mark.parametrize("there", ["26.3", "26.3.1", "26.10", "27.0.dev1"])
def test_a_pip_that_is_as_new_stays(monkeypatch, asked_of_pip, there):
    monkeypatch.setattr("install_locked.version", lambda name: there)
    renew_pip(io.StringIO(), io.StringIO())
    assert asked_of_pip == [0]


def test_the_pip_that_is_wanted_has_one_version_and_a_digest():
    ((name, version), digests), *others = recorded(PIP.read_text(encoding="utf-8")).items()
    assert name == "pip" and all(map(str.isdigit, version.split("."))) and digests and not others


def test_a_pin_is_taken_apart_from_options():
    wanted, options, name = sorted_out(["--force-reinstall", "--index-url", "https://example.org/cpu", "torch==2.13.0"])
    assert (wanted, name) == (["torch==2.13.0"], "torch==2.13.0")
    assert options == ["--force-reinstall", "--index-url", "https://example.org/cpu"]
    assert sorted_out(["--unchecked", "a.txt", "b.txt"]) == (
        ["--requirement", "a.txt", "--requirement", "b.txt"],
        [],
        "a.txt, b.txt",
    )


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
