#!/bin/sh
# tools/check_packages.sh: does Debian have all that setup.sh would install? A
# machine that has it already never notices a name that no suite knows. So apt is
# asked for every name, with the lists of two suites, whatever this system is. It
# takes seconds and installs nothing.
#
# Exit 77: it could not be tried here (no apt, no mirror).
set -u
. tools/count.sh

cannot() {
    echo "packages: $*" >&2
    exit 77
}
from=$(sh tools/mirror.sh)
[ -n "$from" ] || cannot "apt knows no mirror of Debian"

# What setup.sh says that it installs, for root on a system that has nothing. An
# apt-get that does nothing comes before the real one.
mkdir "$tmp/bin"
printf 'exit 1\n' >"$tmp/bin/apt-get"
printf 'echo 0\n' >"$tmp/bin/id"
chmod +x "$tmp/bin"/*
sed 's/^found() {$/& return 1/' setup.sh >"$tmp/setup.sh"
for option in '' --mpi --dev; do
    # shellcheck disable=SC2086 # none is none
    PATH=$tmp/bin:$PATH sh "$tmp/setup.sh" $option 2>/dev/null |
        sed -n 's/^Installing with apt: //p' >"$tmp/names"
    must "setup.sh $option installs something" grep -q gcc "$tmp/names"
    cat "$tmp/names" >>"$tmp/all"
done

export APT_CONFIG="$tmp/apt.conf"
for suite in bookworm trixie; do
    own=$tmp/$suite
    mkdir -p "$own/lists/partial" "$own/cache/archives/partial"
    echo "deb $from $suite main" >"$own/sources"
    : >"$own/status"
    cat >"$APT_CONFIG" <<END
APT::Update::Error-Mode "any";
Acquire::http::Timeout "20";
Dir::Etc::SourceList "$own/sources";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$own/lists";
Dir::State::Status "$own/status";
Dir::Cache "$own/cache";
END
    apt-get update -q >"$tmp/log" 2>&1 ||
        cannot "$suite: no lists from $from: $(tail -n 1 "$tmp/log")"
    # shellcheck disable=SC2046 # names
    must "$suite has what setup.sh installs" apt-get install -q -q --simulate \
        --no-install-recommends $(cat "$tmp/all")
done
finish "name in setup.sh what both suites have (apt-cache search)"
