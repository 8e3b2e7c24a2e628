#!/bin/sh
# cute_check.sh PACKAGES BUILD: gets NVIDIA's headers, builds and runs the
# comparison. Where they can't be had nothing is compared: one line says so,
# and that is no failure, unless REQUIRE=all.
set -u
export LC_ALL=C

packages=$1
build=$2

sh "$(dirname "$0")/packages.sh" "$packages" || {
    echo "cute-check: nothing compared"
    [ "${REQUIRE-}" != all ]
    exit
}
$build || exit 1
"${packages%/*}/cute_check"
