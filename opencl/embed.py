#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Turns an OpenCL kernel file into a C header with one string constant.

embed.py KERNEL.cl OPENCL_DIR OUTPUT.h [CLANG]

`#include "name.h"` lines are replaced by name.h of the kernel's folder, OPENCL_DIR/math or OPENCL_DIR/kernels/shared, each file
once.  With CLANG given, the resolved text must compile alone as OpenCL C 1.2 without a warning, or the build fails.  The constant
is tessera_<kernel>_cl.
"""
import pathlib
import re
import subprocess
import sys

NO_CONTRACTION = "#pragma OPENCL FP_CONTRACT OFF"


def resolve(path, folders, seen):
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            lines.append(line)
            continue
        header = next((folder / match.group(1) for folder in folders if (folder / match.group(1)).is_file()), None)
        if header is None:
            sys.exit(f"{path}:{number}: no such header in {' or '.join(map(str, folders))}: {match.group(1)}")
        if header not in seen:
            seen.append(header)
            lines += resolve(header, folders, seen)
    return lines


def check(text, clang, name):
    # for OpenCL's own target: that of some processors (aarch64) has no doubles, which some kernels ask the device for
    command = [clang, "-target", "spir64", "-x", "cl", "-cl-std=CL1.2", "-Wall", "-Wextra", "-Werror",
               "-Wno-unused-function", "-fsyntax-only", "-Xclang", "-finclude-default-header", "-"]
    result = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{name} does not compile alone as OpenCL C 1.2:\n{result.stderr}")


def quoted(line):
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def write_changed(path, text):
    """A header that stays as it is compiles nothing anew."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    kernel, opencl_dir, output = map(pathlib.Path, sys.argv[1:4])
    seen = []
    lines = resolve(kernel, [kernel.parent, opencl_dir / 'math', opencl_dir / 'kernels' / 'shared'], seen)
    text = "\n".join(lines) + "\n"
    if not re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).lstrip().startswith(NO_CONTRACTION):
        sys.exit(f"{kernel}: {NO_CONTRACTION} must come before all code, that of headers too")
    if len(sys.argv) > 4:
        check(text, sys.argv[4], kernel.name)
    name = "tessera_" + re.sub(r"\W", "_", kernel.stem) + "_cl"
    write_changed(output, f"static const char {name}[] =\n" + "\n".join(map(quoted, lines)) + ";\n")
    output.with_suffix(".d").write_text(
        f"{output}: {' '.join(str(p) for p in [kernel, *seen])}\n", encoding="utf-8")


main()
