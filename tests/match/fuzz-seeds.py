#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""fuzz-seeds.py FOLDER: small good files of keypoints, with which fuzz-reader begins."""
import os
import sys

WORDS = {'.key': '10.5 20.25 1.6 -1.570796', '.txt': '21 10.75 1.6 1.570796', '.csv': '10.25,20.5,1.6,90,0.01,0,1'}

os.makedirs(sys.argv[1], exist_ok=True)
for number, (ending, begin) in enumerate(WORDS.items()):
    between = ',' if ending == '.csv' else ' '
    for n in range(3):
        head = 'x,y,sigma,angle,response,octave,layer,' + ','.join(f'd{k}' for k in range(128)) if ending == '.csv' else f'{n} 128'
        line = begin + ''.join(('\n ' if ending == '.key' and k % 20 == 0 else between) + str(k % 10) for k in range(128))
        with open(os.path.join(sys.argv[1], f'seed{n}{ending}'), 'w', encoding='ascii') as file:
            file.write(chr(number) + '\n'.join([head] + [line] * n) + '\n')
