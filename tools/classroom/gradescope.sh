#!/bin/sh
# tools/classroom/gradescope.sh OUT: the zip that Gradescope makes an autograder
# of: setup.sh, which it runs once, as root, run_autograder, which it runs for each
# submission, and this project as it is committed. CHAPTER: of that one alone.
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh

out=${1:-build/autograder.zip}
git rev-parse HEAD >/dev/null || exit 2
case ${CHAPTER:-07} in
0[1-7]) ;;
*) echo "CHAPTER: not one of 01 to 07" >&2 && exit 2 ;;
esac
mkdir -p "$(dirname "$out")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

cat >"$made/setup.sh" <<END
#!/bin/sh
set -eu
apt-get update -q
apt-get install -qy --no-install-recommends make
cd /autograder/source/flashattention
sh setup.sh --grade
make judges CHAPTER=${CHAPTER:-}
END
cat >"$made/run_autograder" <<END
#!/bin/sh
# /autograder/submission in, results.json out; none if this machine is to blame.
cd /autograder/source/flashattention && mkdir -p /autograder/results &&
    CHAPTER='${CHAPTER:-}' VARIANT='${VARIANT:-}' FORMAT=gradescope \\
    /usr/bin/python3 -BEs tools/classroom/class.py build/grade \\
    /autograder/submission /autograder/results/results.json
END
chmod 755 "$made/setup.sh" "$made/run_autograder"
git archive --format=zip -o "$out" --add-file="$made/setup.sh" \
    --add-file="$made/run_autograder" --prefix=flashattention/ HEAD
echo "$out: $(wc -c <"$out") bytes"
echo "next: upload $out as the autograder of a programming assignment"
