#!/bin/sh
# tools/not_built.sh: prints how to get ./run. setup.sh and `make tour` link ./run to it;
# `make chapter-NN` replaces the link.
export LC_ALL=C
echo "./run: no chapter is built; use make chapter-01 && ./run" >&2
exit 2
