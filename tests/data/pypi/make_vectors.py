#!/usr/bin/env python3
"""Asks two versions of pypa/packaging the same questions and writes both answers, one table a file, for zstd -19.

    make_vectors.py OLD NEW OUT     OLD, NEW: folders that hold `packaging/`; OUT: a folder

The questions are drawn with a fixed seed, so the tables come out the same each time."""

import json
import os
import pathlib
import random
import subprocess
import sys

# --- versions ---

RELEASES = ["0", "1", "1.0", "1.0.0", "1.0.1", "1.1", "1.9", "1.10", "01.002", "2", "1!1.0", "1!0", "0!1", "2024.1.15", "9", "99", "100",
            "1.99", "1.100", "1.0.0.0.1", "0.0.0", "1.123456789012345678901234567890", "1." + "9" * 130, "1." + "8" * 131, "1.2.3.4.5"]
PRES = ["", "", "", "a1", "a", "alpha2", "-beta.3", "_rc_4", "c1", "pre1", ".preview-2", "RC1", "a01", "b0", "rc.", "rc10", "a100"]
POSTS = ["", "", "", ".post1", "-1", "post", ".r2", "-rev3", "_post_4", "-0", ".post10", ".post0", ".POST."]
DEVS = ["", "", "", ".dev1", "dev", "-dev2", "_dev_3", ".dev10", ".DEV0"]
LOCALS = ["", "", "", "+cu121", "+1", "+a.b-c_d", "+001", "+ABC.10", "+a", "+cpu", "+1.a", "+10", "+rocm6.3", "+abc.2"]
ODD = ["", ".", "+", "!", "-", "_", "v", "V", " ", "*", "a", "x", "1", "0", "post", "dev", "rc", ".*", "=", "1!", "e"]


def version(rng, release=None):
    return (release or rng.choice(RELEASES)) + rng.choice(PRES) + rng.choice(POSTS) + rng.choice(DEVS) + rng.choice(LOCALS)


def mutated(rng, text, pieces):
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(pieces) + text[at + rng.choice([0, 0, 1, 2]):]


def version_questions(rng):
    texts = [version(rng) for _ in range(2000)] + [mutated(rng, version(rng), ODD) for _ in range(2500)]
    return [[text] for text in sorted(set(texts))]


def version_answer(text):
    from packaging.version import Version
    v = Version(text)
    return [str(v), v.public, v.base_version, v.local or "", int(v.is_prerelease), int(v.is_postrelease)]


def order_questions(rng):
    pairs = []
    for _ in range(4000):
        release = rng.choice(RELEASES)
        pairs.append([version(rng, release), version(rng, release if rng.random() < 0.8 else None)])
    return pairs


def order_answer(one, two):
    from packaging.version import Version
    a, b = Version(one), Version(two)
    return [int(a > b) - int(a < b)]


# --- specifiers ---

OPERATORS = ["==", "!=", "<=", ">=", "<", ">", "~=", "==="]


def clause(rng, release):
    op = rng.choice(OPERATORS)
    if op in ("==", "!=") and rng.random() < 0.4:
        return f"{op}{release}.*"
    text = release + rng.choice(PRES) + rng.choice(POSTS) + rng.choice(DEVS)
    if op in ("==", "!=", "===") and rng.random() < 0.3:
        text += rng.choice(LOCALS)
    return op + rng.choice(["", "", " "]) + text


def specifier_questions(rng):
    rows = []
    for _ in range(9000):
        release = rng.choice(RELEASES[:20])
        clauses = [clause(rng, release if rng.random() < 0.8 else rng.choice(RELEASES)) for _ in range(rng.choice([1, 1, 1, 2]))]
        near = [release, release + ".0", release + ".1", rng.choice(RELEASES)]
        rows.append([rng.choice([",", ", ", " ,"]).join(clauses), version(rng, rng.choice(near))])
    for _ in range(1500):
        rows.append([mutated(rng, clause(rng, rng.choice(RELEASES[:8])), ODD + [",", "(", ")", "<", ">", "~", ";"]), "1.0"])
    return rows


def specifier_answer(spec, candidate):
    from packaging.specifiers import SpecifierSet
    clauses = SpecifierSet(spec)
    return [int(bool(clauses.prereleases)), int(clauses.contains(candidate, prereleases=True))]


# --- markers ---

def environment(os_name, sys_platform, system, machine, python):
    return {"os_name": os_name, "sys_platform": sys_platform, "platform_system": system, "platform_machine": machine,
            "python_version": ".".join(python.split(".")[:2]), "python_full_version": python, "implementation_version": python,
            "implementation_name": "cpython", "platform_python_implementation": "CPython", "platform_release": "", "platform_version": ""}


ENVIRONMENTS = {
    "linux-64 3.12.1": environment("posix", "linux", "Linux", "x86_64", "3.12.1"),
    "linux-aarch64 3.9.0": environment("posix", "linux", "Linux", "aarch64", "3.9.0"),
    "linux-ppc64le 3.10.13": environment("posix", "linux", "Linux", "ppc64le", "3.10.13"),
    "osx-64 3.8.20": environment("posix", "darwin", "Darwin", "x86_64", "3.8.20"),
    "osx-arm64 3.13.0rc1": environment("posix", "darwin", "Darwin", "arm64", "3.13.0rc1"),
    "win-64 3.14.2": environment("nt", "win32", "Windows", "AMD64", "3.14.2"),
}
VALUES = {
    "python_version": ["3", "3.8", "3.9", "3.10", "3.12", "3.13", "2.7", "3.12.1", "3.8 3.9", "3.1", "3.12.*", "3.12 ", "3.13.0a1", "cp312", ""],
    "python_full_version": ["3.12.1", "3.12", "3.9.0", "3.13.0rc1", "3.13", "3.13.0", "3.8.*", "4", "x"],
    "implementation_version": ["3.12.1", "3.10", "7.3.11"],
    "os_name": ["posix", "nt", "java"],
    "sys_platform": ["linux", "darwin", "win32", "linux2", "cygwin", "win", "linux darwin"],
    "platform_machine": ["x86_64", "aarch64", "arm64", "AMD64", "x86_64 AMD64"],
    "platform_system": ["Linux", "Windows", "Darwin"],
    "platform_version": ["", "#1", "1.0"],
    "platform_release": ["", "5.15", "5.15-x"],
    "platform_python_implementation": ["CPython", "PyPy"],
    "implementation_name": ["cpython", "pypy"],
    "extra": ["dev", "Test_X", "test-x", "dev test", "", "2", "de"],
}
ALIASES = {"os_name": "os.name", "sys_platform": "sys.platform", "platform_python_implementation": "python_implementation", "platform_machine": "platform.machine"}
MARKER_OPERATORS = ["==", "!=", "<=", ">=", "<", ">", "==", "!=", ">=", "<", "~=", "===", "in", "not in"]


def comparison(rng):
    variable = rng.choice(list(VALUES) + ["python_version"] * 4 + ["sys_platform"] * 3 + ["python_full_version", "extra"])
    quote = rng.choice("'\"")
    literal = quote + rng.choice(VALUES[variable]) + quote
    if rng.random() < 0.1:
        variable = ALIASES.get(variable, variable)
    left, right = (variable, literal) if rng.random() < 0.75 else (literal, variable)
    op = rng.choice(MARKER_OPERATORS)
    space = " " if op.endswith("in") else rng.choice(["", " "])
    return f"{left}{space}{op}{space}{right}"


def marker(rng, depth):
    parts = [comparison(rng) if depth == 0 or rng.random() < 0.6 else "(" + marker(rng, depth - 1) + ")" for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    text = parts[0]
    for part in parts[1:]:
        text += rng.choice([" and ", " or "]) + part
    return text


def marker_questions(rng):
    markers = [comparison(rng) for _ in range(1500)] + [marker(rng, 2) for _ in range(600)]
    pieces = ["'", '"', "(", ")", " and ", " or ", " not ", "in", "=", "<", "x", ".", ""]
    markers += [mutated(rng, marker(rng, 1), pieces) for _ in range(600)]
    return [[text, name, rng.choice(["", "", "dev", "test-x"])] for text in sorted(set(markers)) for name in rng.sample(list(ENVIRONMENTS), 2)]


def marker_answer(text, name, extra):
    from packaging.markers import Marker
    return [int(Marker(text).evaluate({**ENVIRONMENTS[name], "extra": extra}))]


# --- requirements ---

REQUIREMENTS = [
    "numpy", "numpy>=1.26", "Torch_Vision..X == 0.22.1+cu128", "numpy (>=1.26,<3)", "numpy[a,B_c , d]>=1,!=1.5.*", "numpy [ ] ~=1.4",
    "requests [security,tests] >= 2.8.1, == 2.8.* ; python_version < \"2.7\"", "a;os_name=='nt'", "a ; extra == 'Foo_Bar'",
    "pip @ https://github.com/pypa/pip/archive/1.3.1.zip#sha1=da92", "a[x]@ file:///tmp/a.whl ; sys_platform=='linux'", "a @ https://h/x;os_name=='nt'",
    "nvidia-cublas-cu12==12.1.3.1 ; platform_machine == 'x86_64' and sys_platform == 'linux'", "triton===3.0.0", "a>=1,", "A.B-c_d<2,>1",
    "setuptools; python_version >= '3.12' or (extra == 'x' and python_version < '4')", "a ( == 1.0 ) ; os_name == \"posix\"", "z==1.0.*,>=0.9rc1",
]


def requirement_questions(rng):
    pieces = ["[", "]", "(", ")", ",", ";", "@", "=", "<", " ", "-", "_", ".", "'", "\"", "a", "1", "*", "é", "", ""]
    texts = REQUIREMENTS + [mutated(rng, rng.choice(REQUIREMENTS), pieces) for _ in range(3000)]
    return [[text] for text in sorted(set(texts))]


def requirement_answer(text):
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    def normal(clause):
        star = ".*" if clause.version.endswith(".*") and clause.operator != "===" else ""
        try:
            number = clause.version if clause.operator == "===" else str(Version(clause.version.removesuffix(".*")))
        except InvalidVersion:
            number = clause.version
        return clause.operator + number + star
    r = Requirement(text)
    specs = ",".join(sorted({normal(clause) for clause in r.specifier}))
    return [canonicalize_name(r.name), ",".join(sorted({canonicalize_name(extra) for extra in r.extras})), specs, r.url or "", int(r.marker is not None)]


# --- wheels ---

FILES = [
    "torch-2.7.0+cu128-cp310-cp310-manylinux_2_28_x86_64.whl", "torch-2.10.0-1-cp313-none-macosx_11_0_arm64.whl", "triton-3.3.1-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
    "PyYAML-6.0.2-cp38-cp38-manylinux_2_17_s390x.manylinux2014_s390x.whl", "a-1-py2.py3-none-any.whl", "a.b_c-1!2.0rc1-0012_x-cp39-abi3-win_amd64.whl", "A-1.0.post1-3-py3-none-any.whl",
    "nvidia_nccl_cu12-2.26.2-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", "a-1.0_1-py3-none-any.whl", "torch-2.9.0-cp314-cp314t-linux_x86_64.whl",
]


def wheel_filename_questions(rng):
    pieces = ["-", "_", ".", "..", "__", "+", "1", "x", "X", "/", " ", "é", "", ""]
    return [[text] for text in sorted(set(FILES + [mutated(rng, rng.choice(FILES), pieces) for _ in range(2000)]))]


def wheel_filename_answer(text):
    from packaging.utils import parse_wheel_filename
    name, v, build, tags = parse_wheel_filename(text)
    return [name, str(v), build[0] if build else "", build[1] if build else "", " ".join(sorted(map(str, tags)))]


def linux_platforms(arch, glibc, musl):
    from packaging import _manylinux, _musllinux
    _manylinux._have_compatible_abi = lambda executable, arch: True
    _manylinux._get_glibc_version = lambda: _manylinux._GLibCVersion(*glibc)
    tags = []
    if glibc:
        try:
            tags += _manylinux.platform_tags([arch])
        except TypeError:
            tags += _manylinux.platform_tags("linux_" + arch, arch)
    if musl:
        tags += [f"musllinux_{musl[0]}_{minor}_{arch}" for minor in range(musl[1], -1, -1)]
    return tags + ["linux_" + arch]  # which packaging puts first since 26.3


TARGETS = {  # "python[t] platform [glibc=|musl=|macos=]"
    "3.12 linux-64 glibc=2.28": (3, 12, "", lambda: linux_platforms("x86_64", (2, 28), None)),
    "3.9 linux-64 glibc=2.17": (3, 9, "", lambda: linux_platforms("x86_64", (2, 17), None)),
    "3.7 linux-64 glibc=2.12": (3, 7, "m", lambda: linux_platforms("x86_64", (2, 12), None)),
    "3.13t linux-aarch64 glibc=2.35": (3, 13, "t", lambda: linux_platforms("aarch64", (2, 35), None)),
    "3.15t linux-64 glibc=2.39": (3, 15, "t", lambda: linux_platforms("x86_64", (2, 39), None)),
    "3.10 linux-ppc64le glibc=2.17": (3, 10, "", lambda: linux_platforms("ppc64le", (2, 17), None)),
    "3.11 linux-64 musl=1.2": (3, 11, "", lambda: linux_platforms("x86_64", None, (1, 2))),
    "3.11 linux-s390x": (3, 11, "", lambda: linux_platforms("s390x", None, None)),
    "3.12 osx-arm64 macos=14.5": (3, 12, "", lambda: mac_platforms((14, 5), "arm64")),
    "3.11 osx-64 macos=10.15": (3, 11, "", lambda: mac_platforms((10, 15), "x86_64")),
    "3.10 osx-64 macos=12.0": (3, 10, "", lambda: mac_platforms((12, 0), "x86_64")),
    "3.12 win-64": (3, 12, "", lambda: ["win_amd64"]),
    "3.14t win-arm64": (3, 14, "t", lambda: ["win_arm64"]),
}


def mac_platforms(version, arch):
    from packaging.tags import mac_platforms as tags
    return list(tags(version, arch))


def wheel_tags_questions(_):
    return [[target] for target in TARGETS]


def wheel_tags_answer(target):
    from packaging import tags
    major, minor, flags, platforms_of = TARGETS[target]
    interpreter, platforms = f"cp{major}{minor}", platforms_of()
    found = list(tags.cpython_tags((major, minor), [interpreter + flags], platforms)) + list(tags.compatible_tags((major, minor), interpreter, platforms))
    return [" ".join(map(str, found))]


TABLES = {  # file -> questions, answer, names of their columns
    "version": (version_questions, version_answer, ["text", "normal", "public", "base", "local", "pre", "post"]),
    "version_order": (order_questions, order_answer, ["v1", "v2", "order"]),
    "specifier": (specifier_questions, specifier_answer, ["specifier", "version", "names_pre", "contains"]),
    "marker": (marker_questions, marker_answer, ["marker", "environment", "extra", "value"]),
    "requirement": (requirement_questions, requirement_answer, ["requirement", "name", "extras", "specifiers", "url", "marker"]),
    "wheel_filename": (wheel_filename_questions, wheel_filename_answer, ["file", "name", "version", "build", "suffix", "tags"]),
    "wheel_tags": (wheel_tags_questions, wheel_tags_answer, ["target", "tags"]),
}


def answers(table):
    questions, answer, _ = TABLES[table]
    for question in questions(random.Random(table)):
        try:
            yield question, answer(*question)
        except Exception:  # whatever packaging raises: malformed, or without an answer
            yield question, None


def ask(table, packaging):
    run = subprocess.run([sys.executable, __file__, "--answers", table], env={**os.environ, "PYTHONPATH": packaging}, check=True, capture_output=True)
    return json.loads(run.stdout)


def main():
    if sys.argv[1] == "--answers":
        json.dump(list(answers(sys.argv[2])), sys.stdout)
        return
    old, new, out = sys.argv[1:]
    for table, (_, _, columns) in TABLES.items():
        lines = ["\t".join(columns + ["old"])]
        for (question, before), (_, now) in zip(ask(table, old), ask(table, new)):
            fields = question + (now if now is not None else ["ERR"] + [""] * (len(columns) - len(question) - 1))
            was = "same" if before == now else "ERR" if before is None else " | ".join(map(str, before)) if table != "wheel_tags" else "differs"
            lines.append("\t".join(map(str, fields + [was])))
        pathlib.Path(out, table + ".tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
