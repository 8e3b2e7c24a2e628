/* Tests reading and writing of .npy files, and failures of both. */
#include "common/precision.h"
#include "common/npy/npy.h"
#include "common/print/outside.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHAPE(shape)                                                           \
    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

#define OTHERS "'fortran_order': False, 'shape': (2, 3)"

/* Quiet and signalling NaNs with payloads, -0, subnormals, -inf. */
static const uint32_t odd[6] = {0x7fc12345, 0xff800001, 0x80000000,
                                0x00000001, 0x807fffff, 0xff800000};

/* Writes x.npy: the bytes before the dictionary (not if the version is 0), the
 * text with a \0 for each @, and n bytes of data. */
static void put_npy(int version, const char *text, size_t n)
{
    static unsigned char file[10100];
    size_t length = strlen(text), at = 0;

    if (version) {
        memcpy(file, "\x93NUMPY", 6);
        file[6] = (unsigned char)version;
        for (at = 8; at < (version == 1 ? 10 : 12); at++)
            file[at] = (unsigned char)(length >> 8 * (at - 8));
    }
    for (; *text; text++)
        file[at++] = *text == '@' ? '\0' : (unsigned char)*text;
    for (size_t i = 0; i < n; i++) /* the lowest byte first */
        file[at++] = (unsigned char)(odd[i / 4 % 6] >> i % 4 * 8);
    put_file("x.npy", file, at);
}

static void assert_refused(const char *path, const char *reason)
{
    npy_array a;

    begin_capture();
    int failed = npy_read(path, &a);
    assert_error_line(shown(path).text, reason);
    assert_true(failed == 1 && !a.data && a.dims == 0);
}

/* Fails unless x.npy has this shape and the n values of `odd`, also after
 * npy_write has written it again. */
static void assert_reads(const char *shape, size_t n)
{
    char text[NPY_SHAPE_MAX];
    npy_array a;

    for (int again = 0; again < 2; again++) {
        assert_int_equal(npy_read("x.npy", &a), 0);
        assert_string_equal(npy_shape_text(&a, text), shape);
        assert_int_equal(a.size, n);
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(a.data + i, odd + i % 6, 4);
        assert_int_equal(npy_write("x.npy", &a), 0);
        npy_free(&a);
    }
}

IN_DIRECTORY(valid_files_are_read_bit_for_bit)
{
    static const struct {
        const char *dictionary, *shape;
        size_t n;
    } good[] = {
        {SHAPE("(2, 3)"), "(2, 3)", 6},
        {SHAPE("()"), "()", 1},
        {SHAPE("(4, 0, 3)"), "(4, 0, 3)", 0},
        {SHAPE("(2, 1, 2, 1, 2, 1, 2, 1,)"), "(2, 1, 2, 1, 2, 1, 2, 1)", 16},
        {"{'shape':(10,),'descr':'<f4','fortran_order':False}\n", "(10,)", 10},
        {"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3)}",
         "(2, 3)", 6},
        {" {\n'shape'\t: ( 2\f, 3 , ), 'descr' :'<f4', 'fortran_order': "
         "False\t}\n",
         "(2, 3)", 6},
        {"{'shape': (5,), 'descr': '<f4', 'fortran_order': False, "
         "'shape': (3, 2)}",
         "(3, 2)", 6}, /* the last value of a doubled key */
    };
    char padded[10002];

    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        for (int version = 1; version <= 3; version++) {
            put_npy(version, good[k].dictionary, 4 * good[k].n);
            assert_reads(good[k].shape, good[k].n);
        }
    snprintf(padded, sizeof padded, "%-9999s\n", good[0].dictionary);
    put_npy(2, padded, 24);
    assert_reads("(2, 3)", 6);
    snprintf(padded, sizeof padded, "%-10001s", good[0].dictionary);
    put_npy(2, padded, 24);
    assert_refused("x.npy", "header of 10001 bytes (allowed: at most 10000");
}

/* The halves of the numbers in `odd` are used as 16-bit numbers. All halves but
 * 0 and -0 have different values in bf16 and fp16. */
IN_DIRECTORY(a_16_bit_type_is_read_only_if_it_is_requested)
{
    static const char *const descr[] = {"<f4", "<u2", "<f2"};
    static const char *const allowed[] = {"(allowed: '<f4', as",
                                          "(allowed: '<f4' or '<u2', as",
                                          "(allowed: '<f4' or '<f2', as"};
    char text[200];
    npy_array a;
    int failed;

    for (precision asked = FP32; asked <= FP16; asked++)
        for (precision type = BF16; type <= FP16; type++) {
            sprintf(text,
                    "{'descr': '%s', 'fortran_order': False, "
                    "'shape': (2, 6), }",
                    descr[type]);
            put_npy(1, text, 24);
            begin_capture();
            failed = npy_read_as(asked, "x.npy", &a);
            assert_int_equal(failed, asked != type);
            if (failed) {
                assert_error_line("x.npy", allowed[asked]);
                continue;
            }
            assert_no_error_line();
            for (size_t i = 0; i < 12; i++) {
                uint16_t bits = (uint16_t)(odd[i / 2] >> i % 2 * 16);
                float want = type == BF16 ? from_bf16(bits) : from_fp16(bits);

                assert_memory_equal(&a.data[i], &want, 4);
            }
            npy_free(&a);
            put_npy(1, text, 48);
            begin_capture();
            failed = npy_read_as(asked, "x.npy", &a);
            assert_error_line("x.npy", "48 bytes of data (2 bytes per element");
            assert_true(failed);
            put_npy(1, SHAPE("(2, 3)"), 24); /* fp32 is also accepted */
            assert_int_equal(npy_read_as(asked, "x.npy", &a), 0);
            assert_memory_equal(a.data, odd, 24);
            npy_free(&a);
        }
}

/* The contents of a file and a part of the message. The contents are a complete
 * file, or a dictionary before data of shape (2, 3). tools/flash/test_npy.py
 * compares more dictionaries with NumPy. */
static const char *const bad[][2] = {
    {"\x93NUMPX\1@\2@{}", "not an .npy file (expected: begins with \\x93NUM"},
    {"\x93NUMPY\1\1\2@{}", "format version 1.1 (allowed: 1.0, 2.0, 3.0)"},
    {"\x93NUMPY@@\2@{}", "format version 0.0"},
    {"\x93NUMPY\4@\2@{}", "format version 4.0"},
    {"\x93NUMPY\1@\3@{}",
     "header of 3 bytes (allowed: at most 10000, and the file must contain"},
    {"\x93NUMPY\2@@@@\1{}", "header of 16777216 bytes"},
    {"PK\3\4", "an .npz archive (expected: an .npy file"},
    {" ", "unsupported header (needed: descr '<f4', fortran_order, shape of "},
    {"{'fortran_order': False, 'shape': (2, 3)}", "unsupported header"},
    {"{'descr': '<f4', 'shape': (2, 3)}", "unsupported header"},
    {"{'descr': '<f4', 'fortran_order': False}", "unsupported header"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
     "type '<f8' (allowed: '<f4', as x.astype('<f4') in NumPy)"},
    {"{'descr': '|b1'}", "as np.where(m, 0, -np.inf).astype('f4'))"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", "Fortran or"},
    {"{'descr': '\33[31m\t\x80'}", "type '\\x1b[31m\\x09\\x80' (allowed"},
    {"{'x': 1, " OTHERS "}", "unsupported header"},
    {"{'descr': '<f4', " OTHERS, "unsupported header"},
    {"{'descr': '<f4', " OTHERS "} x", "unsupported header"},
    {"{'descr': '<f4', " OTHERS "}}", "unsupported header"},
    {"{'descr': '<f4', " OTHERS "}@", "unsupported header"},
    {"{'descr': '<f4', " OTHERS ",}@ ", "unsupported header"},
    {"{'descr': '<f4', " OTHERS ",,}", "unsupported header"},
    {"{'descr': '<f4' " OTHERS "}", "unsupported header"},
    {"{'descr' '<f4', " OTHERS "}", "unsupported header"},
    {"{'descr\": '<f4', " OTHERS "}", "unsupported header"},
    {"{' descr': '<f4', " OTHERS "}", "unsupported header"},
    {"{'descr': '<f4', " OTHERS "}\n ", "unsupported header"},
    {"{'descr': '<f4', 'fortran_order': Falsey, 'shape': (2, 3)}", "unsup"},
    {SHAPE("6"), "unsupported header"},
    {SHAPE("(6)"), "unsupported header"},
    {SHAPE("(,)"), "unsupported header"},
    {SHAPE("(2,, 3)"), "unsupported header"},
    {SHAPE("(02, 3)"), "unsupported header"},
    {SHAPE("(2, 3]"), "unsupported header"},
    {SHAPE("(2 3)"), "unsupported header"},
    {SHAPE("(2, 3"), "unsupported header"},
    {SHAPE("(-1, -6)"), "unsupported header"},
    {SHAPE("(1, 1, 1, 1, 1, 1, 1, 2, 3)"), "of at most 8 dimensions)"},
    {SHAPE("(5,)"), "shape (5,) does not fit 24 bytes of data (4 bytes per"},
    {SHAPE("()"), "shape () does not fit 24 bytes"},
    /* In 64 bits a dimension or the number of elements overflows to 6, or the
     * number of bytes to 24. The last shape has no elements. */
    {SHAPE("(18446744073709551622,)"), ") does not fit 24 bytes"},
    {SHAPE("(9223372036854775811, 2)"), ") does not fit 24 bytes"},
    {SHAPE("(4611686018427387910,)"), ") does not fit 24 bytes"},
    {SHAPE("(2, 2305843009213693955)"), ") does not fit 24 bytes"},
    {SHAPE("(4294967296, 0, 4294967296)"), ") does not fit 24 bytes"},
};

IN_DIRECTORY(invalid_files_are_refused)
{
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bool whole = !strchr("{ ", *bad[k][0]); /* false: a dictionary */

        put_npy(whole ? 0 : 2, bad[k][0], whole ? 0 : 24);
        assert_refused("x.npy", bad[k][1]);
    }
    assert_refused("no\n\33.npy", "cannot open: No such file");
    assert_refused(".", "cannot read: not a regular file (expected: an");
    /* For a pipe without a writer, fopen would block forever. */
    assert_int_equal(mkfifo("fifo.npy", 0600), 0);
    assert_refused("fifo.npy", "not a regular file");
    put_npy(3, SHAPE("(2, 3)"), 23);
    assert_refused("x.npy", "does not fit 23 bytes");
}

/* np.save writes the same bytes for this array. */
IN_DIRECTORY(written_bytes_are_those_of_numpy)
{
    const char want[] =
        "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(1,), }                                                            \n"
        "\0\0\x80?";
    npy_array a;
    size_t n;

    assert_int_equal(npy_new(&a, 1, (const size_t[]){1}), 0);
    a.data[0]++;
    assert_int_equal(npy_write("x.npy", &a), 0);
    unsigned char *got = get_file("x.npy", &n);
    assert_int_equal(n, sizeof want - 1);
    assert_memory_equal(got, want, n);
    free(got);
    npy_free(&a);
    npy_free(&a);
    begin_capture();
    int failed = npy_new(&a, 2, (const size_t[]){SIZE_MAX / 8, 16});
    assert_error_line("array", "no memory for shape (");
    assert_true(failed == 1 && !a.data && a.dims == 0);
}

static int write_both(const char *a, const char *b, size_t n)
{
    npy_array x;
    int failed;

    assert_int_equal(npy_new(&x, 1, &n), 0);
    failed = npy_write_all(2, (const char *const[]){a, b},
                           (const npy_array *const[]){&x, &x});
    npy_free(&x);
    return failed;
}

/* Checks the shape of y and z, or that they contain "old" if it is NULL. */
static void assert_both(const char *shape)
{
    const char *const names[] = {"y", "z"};
    char text[NPY_SHAPE_MAX];
    npy_array a;

    for (size_t k = 0; k < 2; k++)
        if (shape) {
            assert_int_equal(npy_read(names[k], &a), 0);
            assert_string_equal(npy_shape_text(&a, text), shape);
            npy_free(&a);
        } else {
            assert_file_is(names[k], "old");
        }
}

IN_DIRECTORY(a_replaced_file_keeps_its_links_and_permissions)
{
    mode_t umask_was = umask(027);
    struct stat s;

    assert_int_equal(write_both("y", "z", 2), 0);
    umask(umask_was);
    assert_both("(2,)");
    assert_true(stat("y", &s) == 0 && (s.st_mode & 07777) == 0640);
    assert_int_equal(chmod("y", 0602), 0);
    assert_int_equal(symlink("y", "link"), 0);
    assert_int_equal(write_both("link", "z", 3), 0);
    assert_both("(3,)");
    assert_true(stat("y", &s) == 0 && (s.st_mode & 07777) == 0602);
    assert_true(lstat("link", &s) == 0 && S_ISLNK(s.st_mode));
}

IN_DIRECTORY(testing_whether_files_can_be_written_leaves_no_files)
{
    assert_int_equal(npy_write_all(2, (const char *const[]){"y", "x"}, NULL),
                     0);
    assert_int_equal(access("x", F_OK), -1);
    assert_int_equal(access("y", F_OK), -1);
}

IN_DIRECTORY(a_failed_write_leaves_the_old_files)
{
    const char *const refused[][2] = {
        {".", "cannot write: it is not a regular file"},
        {"/dev/null", "cannot write: it is not a regular file"},
        {"fifo", "cannot write: it is not a regular file"},
        {"none/y", "cannot write: No such file"},
        {"", "cannot write: No such file"},
        {"y/z", "cannot write: Not a directory"},
        {"z", "cannot write: File too large"}, /* the disk is full */
    };

    put_file("y", "old", 3);
    put_file("z", "old", 3);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        begin_capture();
        fill_disk(50000);
        int failed = write_both("y", refused[k][0], 25000);
        empty_disk();
        assert_error_line(*refused[k][0] == 'z' ? "y" : refused[k][0],
                          refused[k][1]);
        assert_int_equal(failed, 1);
        assert_both(NULL);
    }
}

int main(void)
{
    /* With this limit, a test fails if npy functions do not close their
     * files. */
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, 16});
    return run_tests("npy");
}
