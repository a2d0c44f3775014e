"""Kernels and fits on 64-bit ARM, emulated: ``make check-arm64``.

Zig compiles the extensions for aarch64 Linux, and qemu runs the tests with Debian's Python for that
architecture and the wheels of NumPy, SciPy and scikit-learn for it. Needs a Debian with apt and
qemu-user-static; what it downloads stays in ``build/arm64``. The results are those of the
instructions that a processor would run. Nothing is said about speed.

    python -m tests.platforms.arm64 tests/core/test_special.py

runs some tests instead of those of the list.
"""

import os
import shutil
import subprocess
import sys

from . import zig

FOLDER = zig.ROOT / "build" / "arm64"
SYSTEM, SITE, PACKAGE = FOLDER / "system", FOLDER / "site-packages", FOLDER / "package"
QEMU = "qemu-aarch64-static"
GLIBC = "2.28"  # of the oldest system that the wheels of SciPy run on
PYTHON = "python3.11"
SUITE = "bookworm"
#: Debian packages that the interpreter and the wheels are linked with.
DEBS = [
    *(
        "libc6",
        "libgcc-s1",
        "libstdc++6",
        "libexpat1",
        "zlib1g",
        "libssl3",
        "libffi8",
        "libbz2-1.0",
    ),
    *("libbz2-1.0", "liblzma5", "libsqlite3-0", "libuuid1", "libcrypt1"),
    *("libpython3.11-minimal", "libpython3.11-stdlib", "python3.11-minimal", "python3.11"),
]
WHEELS = ["numpy", "scipy", "scikit-learn", "pytest", "hypothesis"]
# Without those that start other processes, which would not be emulated.
KERNELS = [
    *("tests/core/test_special.py", "tests/core/test_topics.py", "tests/core/test_statistics.py"),
    *("tests/core/test_cvb0.py", "tests/core/test_gibbs.py", "tests/core/test_gather.py"),
    *("tests/core/test_workers.py", "tests/core/test_factorial.py"),
    "tests/core/test_truncated.py",
]
# Of the fits, those that an emulator ends in some minutes: every mode, with sampled documents, as a
# stream, in batches, by more than one thread, through a file; and the other models.
_BITS = "test_same_bits_for_any_number_of_threads"
FITS = [
    "tests/lda/test_sampling.py::test_from_the_third_pass",
    "tests/lda/test_sampling.py::test_in_the_last_third_of_a_stream_and_ever_after",
    "tests/lda/test_sampling.py::test_seed_changes_them_and_nothing_else_does",
    "tests/lda/test_training.py::test_same_seed_same_bits",
    f"tests/lda/test_training.py::{_BITS}[lvt-float32]",
    "tests/lda/test_streams.py::test_longer_stream_goes_on_cold",
    "tests/lda/test_streams.py::test_growth_is_the_same_as_a_new_total_at_every_call",
    f"tests/lda/test_batch.py::{_BITS}",
    "tests/persistence/test_models.py::test_a_fitted_model_comes_back",
    "tests/persistence/test_models.py::test_learning_goes_on_with_the_same_bits[lvt-more8]",
    *(
        f"tests/factorial/test_contract.py::{_BITS}[shapes-{mode}]"
        for mode in ("vi", "avi", "vt", "lvt")
    ),
    "tests/factorial/test_sparse_coding.py::test_any_number_of_threads_gives_the_same_bits[2-float32]",
    "tests/factorial/test_belief_network.py::test_kinds_of_zeros_and_ones",
    "tests/mixture/test_dp_gaussian.py::test_predictions_agree_with_each_other",
]


def download_system() -> None:
    """Unpack Python and its libraries for aarch64, by an apt that knows that architecture only."""
    if SYSTEM.exists():
        return
    state, made = FOLDER / "apt", SYSTEM.with_suffix(".new")
    shutil.rmtree(made, ignore_errors=True)
    for folder in ("lists/partial", "cache/archives/partial", "debs"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    sources = state / "sources.list"
    sources.write_text(f"deb http://deb.debian.org/debian {SUITE} main\n")
    settings = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": state / "lists",
        "Dir::State::Status": state / "status",
        "Dir::Cache": state / "cache",
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    zig.run([*apt, "update"])
    subprocess.run([*apt, "download", *DEBS], check=True, cwd=state / "debs")
    for deb in sorted((state / "debs").glob("*.deb")):
        subprocess.run(["dpkg", "-x", deb, made], check=True)
    made.rename(SYSTEM)


def download_wheels() -> None:
    """Install the wheels for aarch64."""
    if SITE.exists():
        return
    made = SITE.with_suffix(".new")
    shutil.rmtree(made, ignore_errors=True)
    platforms = ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"]
    zig.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"),
            *("--python-version", PYTHON.removeprefix("python"), "--implementation", "cp"),
            *(f"--platform={platform}" for platform in platforms),
            *("--target", str(made), *WHEELS),
        ]
    )
    made.rename(SITE)


def build() -> None:
    """Compile the extensions, and put them beside a copy of the package's Python files."""
    package = PACKAGE / "topictemper"
    shutil.rmtree(PACKAGE, ignore_errors=True)
    skipped = shutil.ignore_patterns("*.so", "*.c", "*.h", "*.pyx", "__pycache__")
    shutil.copytree(zig.ROOT / "topictemper", package, ignore=skipped)
    folders = ["--build-lib", str(PACKAGE), "--build-temp", str(FOLDER / "objects")]
    zig.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", *folders],
        CC=" ".join(zig.cc(f"aarch64-linux-gnu.{GLIBC}")),
        LDSHARED=" ".join([*zig.cc(f"aarch64-linux-gnu.{GLIBC}"), "-shared"]),
        _PYTHON_HOST_PLATFORM="linux-aarch64",
    )


def main() -> None:
    """Prepare what is missing, build, and run the tests."""
    if shutil.which(QEMU) is None:
        sys.exit(f"{QEMU} is not there: apt install qemu-user-static")
    FOLDER.mkdir(parents=True, exist_ok=True)
    download_system()
    download_wheels()
    build()
    environment = {
        "QEMU_LD_PREFIX": str(SYSTEM),
        "PYTHONHOME": str(SYSTEM / "usr"),
        "PYTHONPATH": os.pathsep.join(map(str, (PACKAGE, SITE))),
        "PYTHONSAFEPATH": "1",  # not the package of the checkout
        "OPENBLAS_NUM_THREADS": "1",
    }
    python = [QEMU, str(SYSTEM / "usr/bin" / PYTHON)]
    says = "import platform, topictemper as t; print(platform.machine(), t.available_isas())"
    zig.run([*python, "-c", says], **environment)
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    zig.run([*python, *pytest, *(sys.argv[1:] or KERNELS + FITS)], **environment)


if __name__ == "__main__":
    main()
