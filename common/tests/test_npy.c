/*
 * .npy files: everything that NumPy may write is read, everything malformed is
 * refused with one line, and what is written is NumPy's own format.
 */
#include "common/testing/file_check.h"
#include "common/npy/npy_write.h"
#include "common/testing/run_tests.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name[] = "x.npy";
static const float six[6] = {1, 2, 3, 4, 5, 6};

#define DICTIONARY(shape)                                                      \
    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

/* --- Files to read ------------------------------------------------------- */

/* Byte i of numbers of four, the lowest first; as many bytes as there are. */
static unsigned char byte_of(const void *numbers, size_t i)
{
    uint32_t number;

    memcpy(&number, (const char *)numbers + i / 4 * 4, sizeof number);
    return (unsigned char)(number >> 8 * (i % 4) & 0xff);
}

/* x.npy: the dictionary as it stands, then n bytes of data. */
static void put_npy(int version, const char *dictionary, const void *data,
                    size_t n)
{
    static unsigned char file[100000];
    size_t length = strlen(dictionary), start = version == 1 ? 10 : 12;

    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 8; i < start; i++)
        file[i] = (unsigned char)(length >> 8 * (i - 8));
    memcpy(file + start, dictionary, length);
    for (size_t i = 0; i < n; i++) /* numbers, the lowest byte first */
        file[start + length + i] = byte_of(data, i);
    put_file(name, file, start + length + n);
}

static void assert_reads_as(size_t dims, const size_t *shape, const void *data)
{
    npy_array a;
    size_t size = 1;

    hear_stderr();
    int failed = npy_read(name, &a);
    assert_said_nothing();
    assert_int_equal(failed, 0);
    assert_int_equal(a.dims, dims);
    for (size_t k = 0; k < dims; k++) {
        assert_int_equal(a.shape[k], shape[k]);
        size *= shape[k];
    }
    assert_int_equal(a.size, size);
    assert_non_null(a.data);
    assert_memory_equal(a.data, data, size * sizeof(float));
    npy_free(&a);
}

static void assert_refused(const char *path, const char *reason)
{
    npy_array a;

    hear_stderr();
    int failed = npy_read(path, &a);
    assert_said_line(path, reason);
    assert_int_equal(failed, 1);
    assert_null(a.data);
    assert_int_equal(a.dims, 0);
    assert_int_equal(a.size, 0);
}

/* The header is refused with the data that its shape (2, 3) would need. */
static void assert_header_refused(const char *dictionary, const char *reason)
{
    put_npy(1, dictionary, six, sizeof(six));
    assert_refused(name, reason);
}

/* --- What is read -------------------------------------------------------- */

static const size_t two_by_three[] = {2, 3};

static void versions_1_2_and_3_are_read(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        put_npy(version, DICTIONARY("(2, 3)"), six, sizeof(six));
        assert_reads_as(2, two_by_three, six);
    }
}

static void keys_come_in_any_order(void **state)
{
    static const char *const orders[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'shape': (2, 3), 'fortran_order': False}",
        "{'fortran_order': False, 'descr': '<f4', 'shape': (2, 3)}",
        "{'fortran_order': False, 'shape': (2, 3), 'descr': '<f4'}",
        "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        put_npy(1, orders[i], six, sizeof(six));
        assert_reads_as(2, two_by_three, six);
    }
}

static void spacing_quotes_and_last_commas_are_free(void **state)
{
    static const char *const spellings[] = {
        "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
        "{'descr':'<f4','fortran_order':False,'shape':(2,3,),}",
        "{\"descr\": \"<f4\", 'fortran_order': False, \"shape\": (2, 3)}",
        "\t\n{ 'descr'\t:\r'<f4' ,'fortran_order' :\fFalse,'shape' :( 2 , 3 )}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        put_npy(1, spellings[i], six, sizeof(six));
        assert_reads_as(2, two_by_three, six);
    }
}

static void padding_of_any_length_is_read(void **state)
{
    char padded[10001];
    static const size_t lengths[] = {60, 61, 118, 1000, 10000};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        snprintf(padded, sizeof(padded), "%-*s\n", (int)lengths[i] - 1,
                 "{'descr':'<f4','fortran_order':False,'shape':(2,3)}");
        put_npy(2, padded, six, sizeof(six));
        assert_reads_as(2, two_by_three, six);
    }
}

static void shapes_of_0_to_8_dimensions_are_read(void **state)
{
    static const char *const texts[] = {
        DICTIONARY("()"),
        DICTIONARY("(2,)"),
        DICTIONARY("(2, 1)"),
        DICTIONARY("(2, 1, 2)"),
        DICTIONARY("(2, 1, 2, 1)"),
        DICTIONARY("(2, 1, 2, 1, 2)"),
        DICTIONARY("(2, 1, 2, 1, 2, 1)"),
        DICTIONARY("(2, 1, 2, 1, 2, 1, 2)"),
        DICTIONARY("(2, 1, 2, 1, 2, 1, 2, 1)"),
    };
    static const size_t shape[8] = {2, 1, 2, 1, 2, 1, 2, 1};
    float data[16];
    size_t size = 1;

    (void)state;
    for (int i = 0; i < 16; i++)
        data[i] = (float)i;
    for (size_t dims = 0; dims <= 8; dims++) {
        put_npy(1, texts[dims], data, size * sizeof(float));
        assert_reads_as(dims, shape, data);
        size *= dims < 8 ? shape[dims] : 1;
    }
}

static void zero_size_arrays_are_read(void **state)
{
    (void)state;
    put_npy(1, DICTIONARY("(0,)"), "", 0);
    assert_reads_as(1, (const size_t[]){0}, "");
    put_npy(1, DICTIONARY("(4, 0, 3)"), "", 0);
    assert_reads_as(3, (const size_t[]){4, 0, 3}, "");
}

/* Quiet and signalling NaNs with payloads, -0, denormals, infinities. */
static const uint32_t odd_bits[6] = {0x7fc12345, 0xff800001, 0x80000000,
                                     0x00000001, 0x807fffff, 0xff800000};

static void every_bit_pattern_is_read_as_it_is(void **state)
{
    (void)state;
    put_npy(1, DICTIONARY("(2, 3)"), odd_bits, sizeof(odd_bits));
    assert_reads_as(2, two_by_three, odd_bits);
}

/* --- What is refused: the file ------------------------------------------- */

static void what_cannot_be_opened_is_refused(void **state)
{
    npy_array a;

    (void)state;
    assert_refused("none.npy", "cannot open: No such file");
    assert_refused("", "cannot open");
    hear_stderr();
    int failed = npy_read("no\n\x1b.npy", &a);
    assert_said_line("no\\x0a\\x1b.npy", "cannot open");
    assert_int_equal(failed, 1);
}

/* The FIFO has no writer: opening it plainly would wait for ever. */
static void what_is_not_a_regular_file_is_refused(void **state)
{
    (void)state;
    assert_refused(".", "is a directory");
    assert_refused("/dev/null", "not a regular file");
    assert_int_equal(mkfifo("fifo.npy", 0600), 0);
    assert_refused("fifo.npy", "not a regular file");
}

static void other_kinds_of_file_are_refused(void **state)
{
    static const char *const contents[] = {"", "\x93NUMP", "PK\3\4 an archive",
                                           "\x93numpy\1\0", "1 2 3\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
        put_file(name, contents[i], strlen(contents[i]));
        assert_refused(name, "not an .npy file");
    }
}

static void unknown_versions_are_refused(void **state)
{
    (void)state;
    put_npy(0, DICTIONARY("(2, 3)"), six, sizeof(six));
    assert_refused(name, "format version 0.0");
    put_npy(4, DICTIONARY("(2, 3)"), six, sizeof(six));
    assert_refused(name, "format version 4.0 (1.0, 2.0 and 3.0 are known)");
    put_file(name, "\x93NUMPY\1\1\0\0", 10);
    assert_refused(name, "format version 1.1");
}

/* Cut anywhere, a file of any version is refused, and never read beyond. */
static void truncation_at_any_byte_is_refused(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        size_t n;

        put_npy(version, DICTIONARY("(2, 3)"), six, sizeof(six));
        unsigned char *whole = get_file(name, &n);
        for (size_t cut = 0; cut < n; cut++) {
            put_file(name, whole, cut);
            assert_refused(name, cut < 6                 ? "not an .npy file"
                                 : cut < n - sizeof(six) ? "truncated"
                                                         : "holds fewer");
        }
        free(whole);
    }
}

static void trailing_bytes_are_refused(void **state)
{
    (void)state;
    put_npy(1, DICTIONARY("(5,)"), six, sizeof(six));
    assert_refused(name, "shape (5,) needs 20 bytes of data, more");
    put_npy(1, DICTIONARY("(5,)"), six, 21);
    assert_refused(name, "needs 20 bytes of data, more");
    put_npy(1, DICTIONARY("()"), six, 8);
    assert_refused(name, "shape () needs 4 bytes of data, more");
    put_npy(1, DICTIONARY("(3, 0)"), six, 1);
    assert_refused(name, "needs 0 bytes of data, more");
}

/* Each length claimed lies beyond what follows, or beyond all reason. */
static void oversized_headers_are_refused(void **state)
{
    static char padded[20001];

    (void)state;
    put_file(name, "\x93NUMPY\1\0\xff\xff{}", 12);
    assert_refused(name, "header of 65535 bytes (at most 10000)");
    put_file(name, "\x93NUMPY\2\0\xff\xff\xff\xff{}", 14);
    assert_refused(name, "header of 4294967295 bytes (at most 10000)");
    put_file(name, "\x93NUMPY\1\0\x10\0{}", 12);
    assert_refused(name, "truncated in its header");
    snprintf(padded, sizeof(padded), "%-20000s", DICTIONARY("(2, 3)"));
    put_npy(2, padded, six, sizeof(six));
    assert_refused(name, "header of 20000 bytes (at most 10000)");
}

/* With memory taken first, this would end in "no memory". */
static void a_huge_claim_takes_no_memory(void **state)
{
    (void)state;
    needs_64_bits();
    put_npy(1, DICTIONARY("(1152921504606846976,)"), six, sizeof(six));
    assert_refused(name, "needs 4611686018427387904 bytes of data");
    put_npy(1, DICTIONARY("(1073741824, 1073741824)"), six, sizeof(six));
    assert_refused(name, "needs 4611686018427387904 bytes of data");
}

static int open_files(void)
{
    int open = 0;

    for (int fd = 0; fd < 4096; fd++)
        open += fcntl(fd, F_GETFD) != -1;
    return open;
}

static void no_file_stays_open(void **state)
{
    int before = open_files();

    (void)state;
    put_npy(1, DICTIONARY("(2, 3)"), six, sizeof(six));
    assert_reads_as(2, two_by_three, six);
    put_npy(1, DICTIONARY("(2, 4)"), six, sizeof(six));
    assert_refused(name, "holds fewer");
    assert_refused(".", "is a directory");
    assert_int_equal(open_files(), before);
}

/* --- What is refused: the dictionary ------------------------------------- */

static void what_is_not_a_dictionary_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "   \n",
        "{",
        "}",
        "('<f4', False, (2, 3))",
        "{'descr'}",
        "{'descr",
        "{'descr': '<f4\", 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr' '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
        "{, 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4',, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
        "x {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{u'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{descr: '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': <f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f\\x34', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3) 4}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_header_refused(texts[i], "malformed header: ");
}

/* A \0 neither ends the header early nor counts as padding. */
static void a_zero_byte_in_the_header_is_refused(void **state)
{
    unsigned char *bytes;
    size_t n;

    (void)state;
    put_npy(1, DICTIONARY("(2, 3)") "   ", six, sizeof(six));
    bytes = get_file(name, &n);
    bytes[n - sizeof(six) - 2] = '\0';
    put_file(name, bytes, n);
    free(bytes);
    assert_refused(name, "malformed header: text after the dictionary");
}

static void missing_keys_are_refused(void **state)
{
    (void)state;
    assert_header_refused("{}", "key 'descr' is missing");
    assert_header_refused("{'fortran_order': False, 'shape': (2, 3)}",
                          "key 'descr' is missing");
    assert_header_refused("{'descr': '<f4', 'shape': (2, 3)}",
                          "key 'fortran_order' is missing");
    assert_header_refused("{'descr': '<f4', 'fortran_order': False}",
                          "key 'shape' is missing");
}

static void duplicate_keys_are_refused(void **state)
{
    (void)state;
    assert_header_refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': "
                          "False, 'shape': (2, 3)}",
                          "key 'descr' stands twice");
    assert_header_refused("{'descr': '<f4', 'fortran_order': False, "
                          "'fortran_order': False, 'shape': (2, 3)}",
                          "key 'fortran_order' stands twice");
    assert_header_refused("{'shape': (1,), 'descr': '<f4', 'fortran_order': "
                          "False, 'shape': (2, 3)}",
                          "key 'shape' stands twice");
}

static void extra_keys_are_refused(void **state)
{
    (void)state;
    assert_header_refused("{'descr': '<f4', 'fortran_order': False, 'shape': "
                          "(2, 3), 'extra': 1}",
                          "unknown key 'extra'");
    assert_header_refused("{'Descr': '<f4', 'fortran_order': False, 'shape': "
                          "(2, 3)}",
                          "unknown key 'Descr'");
    assert_header_refused("{'': '<f4', 'fortran_order': False, 'shape': "
                          "(2, 3)}",
                          "unknown key ''");
    assert_header_refused("{'desc': '<f4', 'fortran_order': False, 'shape': "
                          "(2, 3)}",
                          "unknown key 'desc'");
}

static void other_dtypes_and_byte_orders_are_refused(void **state)
{
    static const char *const dtypes[] = {"<f8", "<f2", "<i4", "|f4", "=f4",
                                         ">f4", "f4",  "|b1", "|O",  "<c8",
                                         "",    "<F4", "<f",  "<f44"};
    char header[200], reason[200];

    (void)state;
    for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
        snprintf(header, sizeof(header),
                 "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3)}",
                 dtypes[i]);
        snprintf(reason, sizeof(reason),
                 "dtype '%s' (only '<f4' in C order; in NumPy: np.save(path, "
                 "a.astype('<f4', order='C')))",
                 dtypes[i]);
        assert_header_refused(header, reason);
    }
    assert_header_refused("{'descr': [('a', '<f4')], 'fortran_order': False, "
                          "'shape': (2, 3)}",
                          "a structured dtype (only '<f4'");
}

static void fortran_order_is_refused(void **state)
{
    (void)state;
    assert_header_refused(
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}",
        "Fortran order (only '<f4' in C order; in NumPy: np.save(path, "
        "a.astype('<f4', order='C')))");
    assert_header_refused(
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
        "fortran_order is '0' (False is needed)");
    assert_header_refused(
        "{'descr': '<f4', 'fortran_order': , 'shape': (2, 3)}",
        "fortran_order is '' (False is needed)");
}

static void dimensions_that_are_not_plain_decimal_are_refused(void **state)
{
    static const char *const dimensions[] = {
        "-1", "0x2", "2.0",  "2e0", "2L",   "+2", "2_0", "02",
        "00", "0b1", "True", "nan", "None", "-0", ""};
    char header[200], reason[200];

    (void)state;
    for (size_t i = 0; i < sizeof(dimensions) / sizeof(dimensions[0]); i++) {
        snprintf(header, sizeof(header), DICTIONARY("(%s, 3)"), dimensions[i]);
        snprintf(reason, sizeof(reason), "shape holds '%s' (dim",
                 dimensions[i]);
        assert_header_refused(header, reason);
    }
}

static void shapes_that_are_not_tuples_are_refused(void **state)
{
    (void)state;
    assert_header_refused(DICTIONARY("(6)"),
                          "shape (6) is not a tuple (one dimension is written "
                          "(6,))");
    assert_header_refused(DICTIONARY("6"), "shape is not a tuple");
    assert_header_refused(DICTIONARY("[2, 3]"), "shape is not a tuple");
    assert_header_refused(DICTIONARY("None"), "shape is not a tuple");
    assert_header_refused(DICTIONARY("'(2, 3)'"), "shape is not a tuple");
    assert_header_refused(DICTIONARY("((2, 3))"), "shape holds ''");
    assert_header_refused(DICTIONARY("(,)"), "shape holds ''");
    assert_header_refused(DICTIONARY("(2,, 3)"), "shape holds ''");
    assert_header_refused(DICTIONARY("(2 3)"), "expected ,");
    assert_header_refused(DICTIONARY("(2, 3"), "shape holds '");
}

static void more_than_8_dimensions_are_refused(void **state)
{
    (void)state;
    assert_header_refused(DICTIONARY("(1, 1, 1, 1, 1, 1, 1, 2, 3)"),
                          "more than 8 dimensions");
}

/* Each is 6 or 0 modulo 2^64, in elements or in bytes. */
static void shapes_that_overflow_are_refused(void **state)
{
    (void)state;
    needs_64_bits();
    assert_header_refused(DICTIONARY("(18446744073709551622,)"),
                          "dimension 18446744073709551622 is too large");
    assert_header_refused(
        DICTIONARY("(100000000000000000000000000000000000000000000000001,)"),
        "dimension 1000000000000000000000000000000000000000... is too large");
    assert_header_refused(DICTIONARY("(4294967296, 4294967296)"),
                          "shape (4294967296, 4294967296) is more than memory");
    assert_header_refused(DICTIONARY("(6148914691236517206, 3)"),
                          "is more than memory can hold");
    assert_header_refused(DICTIONARY("(4611686018427387910,)"),
                          "is more than memory can hold");
    assert_header_refused(DICTIONARY("(2305843009213693952,)"),
                          "is more than memory can hold");
    assert_header_refused(DICTIONARY("(0, 4294967296, 4294967296)"),
                          "is more than memory can hold");
    assert_header_refused(DICTIONARY("(4294967296, 4294967296, 0)"),
                          "is more than memory can hold");
}

/* A terminal's escape codes and newlines do not come through a message. */
static void messages_stay_one_printable_line(void **state)
{
    (void)state;
    assert_header_refused("{'descr': '\33[31m\t\x80', 'fortran_order': False, "
                          "'shape': (2, 3)}",
                          "dtype '?[31m?\?'");
    assert_header_refused("{'0123456789012345678901234567890123456789X': 1}",
                          "unknown key '0123456789012345678901234567890123456"
                          "789...'");
}

/* --- What is written ----------------------------------------------------- */

static void arrays_of_0_to_8_dimensions_come_back(void **state)
{
    static const size_t shape[8] = {2, 1, 3, 1, 2, 1, 2, 2};
    float data[48];
    npy_array a = {.shape = {0}, .data = data, .size = 1};

    (void)state;
    for (int i = 0; i < 48; i++)
        data[i] = (float)i;
    for (size_t dims = 0; dims <= 8; dims++) {
        a.dims = dims;
        assert_int_equal(npy_write(name, &a), 0);
        assert_reads_as(dims, shape, data);
        if (dims < 8) {
            a.shape[dims] = shape[dims];
            a.size *= shape[dims];
        }
    }
}

static void every_bit_pattern_is_written_as_it_is(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 2, two_by_three), 0);
    memcpy(a.data, odd_bits, sizeof(odd_bits));
    assert_int_equal(npy_write(name, &a), 0);
    assert_reads_as(2, two_by_three, odd_bits);
    npy_free(&a);
}

static void zero_size_arrays_come_back(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 2, (const size_t[]){0, 7}), 0);
    assert_int_equal(npy_write(name, &a), 0);
    assert_reads_as(2, (const size_t[]){0, 7}, "");
    npy_free(&a);
}

/* Byte for byte what np.save writes for such a shape. */
static void the_bytes_are_those_of_numpy(void **state)
{
    static const char want[] =
        "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(1,), }                                                            \n"
        "\0\0\x80?";
    const float one = 1;
    size_t n;
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 1, (const size_t[]){1}), 0);
    a.data[0] = one;
    assert_int_equal(npy_write(name, &a), 0);
    npy_free(&a);
    unsigned char *got = get_file(name, &n);
    assert_int_equal(n, 128 + 4);
    assert_int_equal(sizeof(want) - 1, n);
    assert_memory_equal(got, want, n);
    free(got);
}

/* The longest header that there is, and all lengths about a multiple of 64. */
static void data_begins_at_a_multiple_of_64(void **state)
{
    npy_array a = {.size = 0, .data = (float[]){0}};
    size_t n;

    (void)state;
    for (size_t dims = 1; dims <= 8; dims++)
        for (size_t d = 0; d < 4; d++) {
            static const size_t values[] = {1, 10, 1000, SIZE_MAX};

            a.dims = dims;
            a.shape[dims - 1] = values[d];
            assert_int_equal(npy_write(name, &a), 0);
            unsigned char *bytes = get_file(name, &n);
            assert_int_equal(n % 64, 0);
            assert_int_equal(bytes[8] + 256 * bytes[9] + 10, n);
            assert_int_equal(bytes[n - 1], '\n');
            free(bytes);
        }
}

static void what_cannot_be_written_is_refused(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 2, two_by_three), 0);
    hear_stderr();
    int failed = npy_write("none/y.npy", &a);
    assert_said_line("none/y.npy", "cannot write: No such file");
    assert_int_equal(failed, 1);
    npy_free(&a);
}

/* --- Arrays -------------------------------------------------------------- */

static void a_new_array_is_zero(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 2, two_by_three), 0);
    assert_int_equal(a.dims, 2);
    assert_int_equal(a.size, 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(a.data[i] == 0);
    npy_free(&a);
    assert_int_equal(npy_new(&a, 0, NULL), 0);
    assert_int_equal(a.size, 1);
    npy_free(&a);
}

static void a_freed_array_is_empty_and_may_be_freed_again(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 2, two_by_three), 0);
    npy_free(&a);
    assert_null(a.data);
    assert_int_equal(a.size, 0);
    npy_free(&a);
}

static void a_new_array_that_overflows_is_refused(void **state)
{
    static const size_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    npy_array a;

    (void)state;
    hear_stderr();
    int failed = npy_new(&a, 2, (const size_t[]){SIZE_MAX / 8, 16});
    assert_said_line("array", "no memory for shape (");
    assert_int_equal(failed, 1);
    assert_null(a.data);

    hear_stderr();
    failed = npy_new(&a, 9, ones);
    assert_said_line("array", "9 dimensions (at most 8)");
    assert_int_equal(failed, 1);
}

static void shapes_are_printed_as_numpy_does(void **state)
{
    npy_array a = {.dims = 0, .shape = {12, 245, 32}};
    static const char *const want[] = {"()", "(12,)", "(12, 245)",
                                       "(12, 245, 32)"};
    char text[32];

    (void)state;
    for (a.dims = 0; a.dims < 4; a.dims++)
        assert_string_equal(npy_shape_text(&a, text, sizeof(text)),
                            want[a.dims]);
    a.dims = 3;
    assert_string_equal(npy_shape_text(&a, text, 8), "(12, 24");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(versions_1_2_and_3_are_read),
        in_directory(keys_come_in_any_order),
        in_directory(spacing_quotes_and_last_commas_are_free),
        in_directory(padding_of_any_length_is_read),
        in_directory(shapes_of_0_to_8_dimensions_are_read),
        in_directory(zero_size_arrays_are_read),
        in_directory(every_bit_pattern_is_read_as_it_is),
        in_directory(what_cannot_be_opened_is_refused),
        in_directory(what_is_not_a_regular_file_is_refused),
        in_directory(other_kinds_of_file_are_refused),
        in_directory(unknown_versions_are_refused),
        in_directory(truncation_at_any_byte_is_refused),
        in_directory(trailing_bytes_are_refused),
        in_directory(oversized_headers_are_refused),
        in_directory(a_huge_claim_takes_no_memory),
        in_directory(no_file_stays_open),
        in_directory(what_is_not_a_dictionary_is_refused),
        in_directory(a_zero_byte_in_the_header_is_refused),
        in_directory(missing_keys_are_refused),
        in_directory(duplicate_keys_are_refused),
        in_directory(extra_keys_are_refused),
        in_directory(other_dtypes_and_byte_orders_are_refused),
        in_directory(fortran_order_is_refused),
        in_directory(dimensions_that_are_not_plain_decimal_are_refused),
        in_directory(shapes_that_are_not_tuples_are_refused),
        in_directory(more_than_8_dimensions_are_refused),
        in_directory(shapes_that_overflow_are_refused),
        in_directory(messages_stay_one_printable_line),
        in_directory(arrays_of_0_to_8_dimensions_come_back),
        in_directory(every_bit_pattern_is_written_as_it_is),
        in_directory(zero_size_arrays_come_back),
        in_directory(the_bytes_are_those_of_numpy),
        in_directory(data_begins_at_a_multiple_of_64),
        in_directory(what_cannot_be_written_is_refused),
        cmocka_unit_test(a_new_array_is_zero),
        cmocka_unit_test(a_freed_array_is_empty_and_may_be_freed_again),
        cmocka_unit_test(a_new_array_that_overflows_is_refused),
        cmocka_unit_test(shapes_are_printed_as_numpy_does),
    };

    return run_tests("npy", tests);
}
