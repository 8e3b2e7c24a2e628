/* Tests the memory limit of cgroups and of the machine, in a simulated /proc and
 * /sys, and that large arrays are refused before they are allocated. */
#define _XOPEN_SOURCE 700 /* nftw */

#include <ftw.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/memory_limit.h"
#include "common/npy/npy.h"
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

/* Writes a text to root/path and makes the folders of the path. */
static void simulate(const char *path, const char *text)
{
    char file[200];

    snprintf(file, sizeof file, "root/%s", path);
    for (char *c = strchr(file, '/'); c; c = strchr(c + 1, '/')) {
        *c = '\0';
        mkdir(file, 0777);
        *c = '/';
    }
    put_file(file, text, strlen(text));
}

static int delete_one(const char *path, const struct stat *s, int type,
                      struct FTW *ftw)
{
    (void)s, (void)type, (void)ftw;
    return remove(path);
}

static void check_limit(double bytes, bool of_cgroup)
{
    memory_limit limit = memory_limit_of("root");

    if (isinf(bytes))
        assert_true(isinf(limit.bytes));
    else
        assert_close(limit.bytes, bytes, 0);
    assert_int_equal(limit.of_cgroup, of_cgroup);
    nftw("root", delete_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void simulate_machine(void)
{
    simulate("proc/meminfo", "MemFree:   5 kB\nMemTotal:    8000000 kB\n");
}

IN_DIRECTORY(without_proc_there_is_no_limit)
{
    check_limit((double)INFINITY, false);
}

IN_DIRECTORY(the_limit_is_the_machine_s_memory_if_no_cgroup_has_less)
{
    simulate_machine();
    check_limit(8192e6, false);
    simulate_machine();
    simulate("proc/self/cgroup", "4:memory:/\n0::/a\n");
    simulate("sys/fs/cgroup/a/memory.max", "max\n");
    simulate("sys/fs/cgroup/memory/memory.limit_in_bytes",
             "9223372036854771712\n");
    check_limit(8192e6, false);
}

IN_DIRECTORY(the_limit_is_the_smallest_of_the_groups_of_version_2)
{
    simulate_machine();
    simulate("proc/self/cgroup", "0::/a/b/c\n");
    simulate("sys/fs/cgroup/a/memory.max", "3000000000\n");
    simulate("sys/fs/cgroup/a/b/memory.max", "1500000000\n");
    simulate("sys/fs/cgroup/a/b/c/memory.max", "2000000000\n");
    check_limit(1500e6, true);
    /* A container sees its group as the root. */
    simulate_machine();
    simulate("proc/self/cgroup", "0::/\n");
    simulate("sys/fs/cgroup/memory.max", "700000000\n");
    check_limit(700e6, true);
}

IN_DIRECTORY(the_limit_is_the_smallest_of_the_groups_of_version_1)
{
    simulate_machine();
    simulate("proc/self/cgroup", "5:cpu:/a\n4:hugetlb,memory:/a/b\n0::/\n");
    simulate("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "600000000\n");
    simulate("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "500000000\n");
    check_limit(500e6, true);
    /* Docker shows the path of the host, but mounts the group as the root. */
    simulate_machine();
    simulate("proc/self/cgroup", "4:memory:/docker/1234\n");
    simulate("sys/fs/cgroup/memory/memory.limit_in_bytes", "400000000\n");
    check_limit(400e6, true);
}

TEST(a_need_above_the_limit_is_refused_with_both_numbers)
{
    const memory_limit machine = {25.26e9, false}, cgroup = {268.4e6, true};
    const memory_limit unknown = {(double)INFINITY, false};
    char why[MEMORY_WHY] = "";

    assert_false(exceeds(machine, 25.26e9, why));
    assert_false(exceeds(unknown, 1e30, why));
    assert_string_equal(why, "");
    assert_true(exceeds(machine, 40e15, why));
    assert_string_equal(
        why, "40.0 PB (allowed: 25.3 GB, the memory of this machine)");
    assert_true(exceeds(cgroup, 999.96e6, why));
    assert_string_equal(why,
                        "1.0 GB (allowed: 268.4 MB, the limit of this cgroup)");
}

IN_DIRECTORY(large_arrays_are_refused_before_they_are_allocated)
{
    const size_t shape[] = {1 << 20, 1 << 22};
    npy_array a;
    memory mem;

    needs_64_bits();
    if (isinf(memory_limit_of("").bytes))
        skip();
    memory_init(&mem, MEMORY_UNBOUNDED);
    hbm_scratch(&mem, shape[0], shape[1], FP32);
    assert_int_equal(mem.error, MEMORY_FULL);
    assert_non_null(strstr(mem.message,
                           "out of memory for an array of 1048576 x 4194304 "
                           "floats, in all 17.6 TB (allowed: "));
    memory_reset(&mem);
    begin_capture();
    int status = npy_new(&a, 2, shape);
    assert_error_line("array", "no memory for shape (1048576, 4194304), in all "
                               "17.6 TB (allowed: ");
    assert_int_equal(status, 1);
}

TEST(memory_in_use_counts)
{
    const double limit = memory_limit_of("").bytes;
    char why[MEMORY_WHY];

    if (isinf(limit))
        skip();
    assert_false(memory_exceeded(0.999 * limit, why));
    assert_true(memory_exceeded_by(limit, why)); /* this program uses some */
    assert_false(memory_exceeded_by(1e6, why));
}
