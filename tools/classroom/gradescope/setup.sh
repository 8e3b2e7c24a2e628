#!/bin/sh
# Gradescope runs this script once, as root, when it builds the image.
set -eu
. /autograder/source/settings
cd /autograder/source/flashattention
sh setup.sh --grade
make judges E="$E" CHAPTER="$CHAPTER"
