#!/usr/bin/env python3
"""Compiles every kernel to PTX with NVRTC 12.0.140, for drivers from 525 on and GPUs from sm_75 on.

    python3 -m venv venv && venv/bin/pip install nvidia-cuda-nvrtc-cu12==12.0.140
    venv/bin/python kernels/make_ptx.py            writes kernels/ptx and the lists of kernels
    venv/bin/python kernels/make_ptx.py --check    fails if they are out of date
"""
import ctypes
import glob
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# No contraction to fused multiply-adds: f64 results are bitwise identical to those of the CPU.
OPTIONS = [b"--gpu-architecture=compute_75", b"--fmad=false", b"-std=c++17"]


def compiler():
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia/cuda_nvrtc/lib/libnvrtc.so.12")):
            builtins = glob.glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.12.0"))
            if builtins:
                ctypes.CDLL(builtins[0], mode=ctypes.RTLD_GLOBAL)
                return ctypes.CDLL(path)
    sys.exit("NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12==12.0.140")


def compile_ptx(nvrtc, source):
    def check(code, program=None):
        if code == 0:
            return
        size = ctypes.c_size_t()
        if program:
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            sys.exit(f"{source}:\n{log.value.decode()}")
        sys.exit(f"NVRTC failed with code {code}")

    headers = {f"lib/{path.name}": path.read_bytes() for path in sorted((HERE / "lib").glob("*.cuh"))}
    # Headers include each other relative to their own folder.
    headers.update({path.name: path.read_bytes() for path in sorted((HERE / "lib").glob("*.cuh"))})
    names = (ctypes.c_char_p * len(headers))(*[name.encode() for name in headers])
    texts = (ctypes.c_char_p * len(headers))(*headers.values())
    program = ctypes.c_void_p()
    name = source.name.encode()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), name, len(headers), texts, names))
    options = (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)
    check(nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options), program)
    size = ctypes.c_size_t()
    check(nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    check(nvrtc.nvrtcGetPTX(program, text))
    return text.value


def lists(compiled):
    """The lists of files and kernels that the shim includes."""
    generator = "kernels/make_ptx.py"
    files = "".join(f'namespace {source.stem} {{\n#include "../{source.name}"\n}}\n' for source in compiled)
    kernels = "".join(
        f"    KERNEL({source.stem}, {name}),\n"
        for source, ptx in compiled.items()
        for name in re.findall(r"\.visible \.entry (\w+)\(", ptx.decode(errors="replace"))
    )
    return {
        HERE / "shim" / "files.inc": f"// Made by {generator}.\n{files}",
        HERE / "shim" / "kernels.inc": f"// Made by {generator}.\n{kernels}",
    }


def main():
    nvrtc = compiler()
    compiled = {source: compile_ptx(nvrtc, source) for source in sorted(HERE.glob("*.cu"))}
    expected = {HERE / "ptx" / f"{source.stem}.ptx": ptx for source, ptx in compiled.items()}
    expected.update({target: text.encode() for target, text in lists(compiled).items()})
    stale = []
    for target, content in expected.items():
        if "--check" in sys.argv:
            if not target.exists() or target.read_bytes() != content:
                stale.append(target.name)
        else:
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
            print(f"{target.name}: {len(content)} bytes")
    if stale:
        sys.exit(f"Out of date: {', '.join(stale)}. Run kernels/make_ptx.py.")


if __name__ == "__main__":
    main()
