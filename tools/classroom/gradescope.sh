#!/bin/sh
# tools/classroom/gradescope.sh OUT: the zip that Gradescope makes an autograder
# of: setup.sh, which it runs once, run_autograder, which it runs for each
# submission, and this project as it is committed. CHAPTER: of that one alone.
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh

out=${1:-build/autograder.zip}
git rev-parse HEAD >/dev/null || exit 2
mkdir -p "$(dirname "$out")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
without=
case ${CHAPTER:-07} in
07) ;;
0[1-6]) without=NO_CUDA=1 ;;
*) echo "CHAPTER: not one of 01 to 07" >&2 && exit 2 ;;
esac

cat >"$made/setup.sh" <<END
#!/bin/sh
# Once, as root, when the container is made.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends gcc g++ libc6-dev make pkg-config \\
    libcmocka-dev bubblewrap binutils
cd /autograder/source/flashattention
make $without build/grade/made
# What a submission must not read, whatever it runs as.
chmod 700 /autograder/source
END
cat >"$made/run_autograder" <<END
#!/bin/sh
# For each submission: /autograder/submission in, results.json out.
set -u
cd /autograder/source/flashattention
chmod 700 /autograder/source /autograder/submission
rm -rf build/results.d build/results.json
CHAPTER='${CHAPTER:-}' VARIANT='${VARIANT:-}' FORMAT=gradescope \\
    sh tools/classroom/grade.sh build/grade /autograder/submission \\
    build/results.json
mkdir -p /autograder/results
cp build/results.json /autograder/results/results.json
END
chmod 755 "$made/setup.sh" "$made/run_autograder"
git archive --format=zip -o "$out" --add-file="$made/setup.sh" \
    --add-file="$made/run_autograder" --prefix=flashattention/ HEAD
echo "$out: $(wc -c <"$out") bytes"
echo "next: upload $out as the autograder of a programming assignment"
