# SPDX-License-Identifier: LGPL-3.0-or-later
"""What tests/mutate changes, one place each: (name, what is known of it, file, text, what it becomes, which of the
places with that text, why no test can see it).  Known: `real` ones were once seen by no test; `killed` ones always were;
`equivalent` ones change no result that anybody promises, for the reason given; of `new` ones nothing is known, or no test kills them yet."""
from . import engine, features, kernels, math, operations, temporal

MUTANTS = [row for part in (kernels, math, operations, engine, features, temporal) for row in part.ROWS]

assert len({row[0] for row in MUTANTS}) == len(MUTANTS), 'a name stands for two changes'
