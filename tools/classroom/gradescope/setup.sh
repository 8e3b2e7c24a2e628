#!/bin/sh
# Gradescope runs it once, as root, when it builds a container.
set -eu
. /autograder/source/settings
apt-get update -q
apt-get install -qy --no-install-recommends make
cd /autograder/source/flashattention
sh setup.sh --grade
make judges CHAPTER="$CHAPTER"
