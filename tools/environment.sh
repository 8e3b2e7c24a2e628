# shellcheck shell=sh
# tools/environment.sh: read with `. tools/environment.sh` by scripts that test
# or grade, so that what somebody has exported changes no result: CDPATH makes
# cd print a folder, or go to another one; CMocka and grep speak otherwise when
# they are told to; decimals and letters are those of a country.
unset CDPATH CMOCKA_MESSAGE_OUTPUT CMOCKA_TEST_ABORT CMOCKA_XML_FILE \
    GREP_OPTIONS POSIXLY_CORRECT
export LC_ALL=C

case ${VARIANT-} in
*[!0-9]*) echo "VARIANT: not a whole number, such as 7" >&2 && exit 2 ;;
esac

# How a student's program runs, by an exercise as by the grader: the first
# mistake ends it, whoever waits for its signal, and the sanitizer says where.
asan=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=512
asan=$asan:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_abort=2
careful="ASAN_OPTIONS=$asan:exitcode=134
    UBSAN_OPTIONS=print_stacktrace=1:exitcode=134 CUDA_ON_CPU=full"

# cleanly [NAME=VALUE...] COMMAND...: runs a student's tests, or a judge, with
# nothing exported but what finds programs and libraries, and the variant.
cleanly() {
    env -i PATH="$PATH" TMPDIR="${TMPDIR:-/tmp}" VARIANT="${VARIANT-}" \
        ${LD_LIBRARY_PATH+LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} "$@"
}
