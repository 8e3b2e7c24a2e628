# shellcheck shell=sh
# tools/environment.sh: scripts that test or grade read it with `. tools/environment.sh`.
# It unsets variables that would change a result: CDPATH (cd would print a folder), those
# of CMocka and grep, and POSIXLY_CORRECT. It sets the locale C (no decimal commas).
unset CDPATH CMOCKA_MESSAGE_OUTPUT CMOCKA_TEST_ABORT CMOCKA_XML_FILE \
    GREP_OPTIONS POSIXLY_CORRECT
export LC_ALL=C

case ${VARIANT-} in
*[!0-9]*) echo "VARIANT: must be a whole number, such as 7" >&2 && exit 2 ;;
esac

# The sanitizers end the program at the first error, even if it handles signals.
asan=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=512
asan=$asan:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_abort=2
sanitizer_options="ASAN_OPTIONS=$asan:exitcode=134
    UBSAN_OPTIONS=print_stacktrace=1:exitcode=134 CUDA_ON_CPU=full"

# clean_env [NAME=VALUE...] COMMAND...: runs a command with only these variables, PATH,
# TMPDIR, VARIANT and LD_LIBRARY_PATH.
clean_env() {
    env -i PATH="$PATH" TMPDIR="${TMPDIR:-/tmp}" VARIANT="${VARIANT-}" \
        ${LD_LIBRARY_PATH+LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} "$@"
}
