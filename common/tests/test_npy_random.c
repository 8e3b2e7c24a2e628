/*
 * Headers that nobody wrote: right ones with a few bytes changed, lost or put
 * in. Each is read, and then means what it says, or is refused with a reason.
 * Their memory is as long as they are: a sanitizer sees one byte beyond.
 */
#include "common/npy/npy_write.h"
#include "common/problem/random.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <string.h>

enum { HEADERS = 20000, LONGEST = 200 };

typedef struct {
    unsigned char byte[LONGEST];
    size_t n;
} bytes;

static bytes a_right_header(random_source *source)
{
    static const char *const dictionaries[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n",
        "{'shape':(),'descr':\"<f4\",'fortran_order':False}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7, 12, 1), }\n",
        "{ 'shape' : (18446744073709551615,), 'fortran_order': True , }",
    };
    const char *dictionary = dictionaries[random_below(source, 4)];
    size_t version = 1 + random_below(source, 3), length = strlen(dictionary);
    size_t start = version == 1 ? 10 : 12;
    bytes b = {.n = start + length};

    memcpy(b.byte, "\x93NUMPY", 6);
    b.byte[6] = (unsigned char)version;
    b.byte[8] = (unsigned char)length;
    memcpy(b.byte + start, dictionary, length);
    return b;
}

/* Replaces, removes or inserts one byte, any or one that headers hold; or loses
 * all after it. */
static void change(bytes *b, random_source *source)
{
    static const char common[] = "(){}[],:'\"0123456789 <f4TrueFalse\\\n";
    size_t at = random_below(source, b->n);
    unsigned char byte =
        random_below(source, 2)
            ? (unsigned char)random_below(source, 256)
            : (unsigned char)common[random_below(source, sizeof common - 1)];

    switch (random_below(source, 4)) {
    case 0:
        b->byte[at] = byte;
        break;
    case 1:
        b->n--;
        memmove(b->byte + at, b->byte + at + 1, b->n - at);
        break;
    case 2:
        b->n = at + 1;
        break;
    default:
        memmove(b->byte + at + 1, b->byte + at, b->n - at);
        b->n++;
        b->byte[at] = byte;
    }
}

/* A header that ends where the file does: the dictionary is what is wrong. */
static void put_length_right(bytes *b)
{
    size_t start = b->byte[6] == 1 ? 10 : 12;

    if (b->n >= start)
        b->byte[8] = (unsigned char)(b->n - start);
}

/* Written and read again, it is the same array. */
static void assert_means_what_it_says(const npy_array *a)
{
    npy_array header = *a, again = {0};
    char reason[NPY_REASON_MAX];
    unsigned char *written;
    size_t n;

    header.size = 0; /* no data */
    assert_int_equal(npy_write("x.npy", &header), 0);
    written = get_file("x.npy", &n);
    assert_int_equal(npy_parse_header(written, n, &again, reason), n);
    free(written);
    assert_int_equal(again.dims, a->dims);
    assert_int_equal(again.size, a->size);
    assert_memory_equal(again.shape, a->shape, a->dims * sizeof *a->shape);
}

static void assert_is_a_reason(const char *reason)
{
    assert_int_not_equal(*reason, '\0');
    for (; *reason; reason++)
        assert_true(*reason >= ' ' && *reason <= '~');
}

static void any_header_is_read_or_refused_with_a_reason(void **state)
{
    random_source source = random_seed(1);
    size_t read = 0;

    (void)state;
    for (size_t k = 0; k < HEADERS; k++) {
        bytes b = a_right_header(&source);
        char reason[NPY_REASON_MAX] = "";
        npy_array array = {0};
        unsigned char *exact;
        size_t offset;

        for (size_t left = random_below(&source, 6); left && b.n > 1; left--)
            change(&b, &source);
        if (random_below(&source, 2))
            put_length_right(&b);
        exact = malloc(b.n);
        assert_non_null(exact);
        memcpy(exact, b.byte, b.n);
        offset = npy_parse_header(exact, b.n, &array, reason);
        free(exact);
        if (offset)
            assert_means_what_it_says(&array);
        else
            assert_is_a_reason(reason);
        assert_true(offset <= b.n);
        read += offset > 0;
    }
    assert_true(read >= HEADERS / 10 && read <= HEADERS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(any_header_is_read_or_refused_with_a_reason),
    };

    return run_tests("npy_random", tests);
}
