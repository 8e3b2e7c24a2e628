/*
 * What one load of a warp costs: 32 lanes ask for their bytes of a tile. Drawn
 * are the lines of shared memory that it touches, 32 banks of 4 bytes each, and
 * above them how many words each bank must give to the lanes that are served
 * together. The arithmetic is the emulator's, with which it counts every rung
 * of chapter 07.
 */
#include <algorithm>
#include <set>

#include "07_cuda/cuda_on_cpu/counts.h"
#include "07_cuda/cuda_on_cpu/hopper/swizzle.h"
#include "07_cuda/cuda_on_cpu/memory/banks.h"
#include "tools/book/steps/steps.h"

cuda_counts emu::counts;

namespace
{
enum { LANES = 32, LEFT = 92, CELL = 16, LINE = 128, WORD = 4, BANKS = 32 };

size_t width;     /* bytes that each lane wants */
size_t at[LANES]; /* the address of the first of them */

/* Of lanes first .. end - 1 alone. */
emu::Instruction load_of(size_t first, size_t end, bool global)
{
    emu::Instruction i = {};
    i.bytes = width;
    for (size_t l = first; l < end; l++)
        i.lane[l].push_back(at[l]);
    (global ? emu::count_global : emu::count_shared)(i, 0);
    return i;
}

bool wanted(size_t first, size_t end, size_t word)
{
    return std::any_of(at + first, at + end, [word](size_t a) {
        return word * WORD >= a && word * WORD < a + width;
    });
}
} // namespace

size_t run_warp(void)
{
    auto number = [](int k) { return static_cast<size_t>(numbers[k]); };
    size_t row = number(1), across = number(2), swizzle = number(3);
    width = number(0);
    error = width != 4 && width != 8 && width != 16
                ? "a lane reads 4, 8 or 16 bytes"
            : across == 0 || LANES % across != 0
                ? "1, 2, 4, 8, 16 or 32 lanes in a row"
            : row % width != 0 || row < across * width
                ? "a row has room for its lanes, and a multiple of their bytes"
            : swizzle > 1 ? "swizzle is 0 or 1"
                          : "";
    for (size_t l = 0; !*error && l < LANES; l++) {
        at[l] = l / across * row + l % across * width;
        at[l] = swizzle ? emu::swizzled(at[l], LINE) : at[l];
    }
    return *error ? 0 : LANES;
}

void show_warp(size_t shown)
{
    /* Lanes of 128 bytes are served together. */
    size_t group = std::min<size_t>(LINE / width, LANES);
    size_t first = shown ? (shown - 1) / group * group : 0;
    size_t words[BANKS] = {};
    double y = 40;
    std::set<size_t> lines;
    for (size_t a : at)
        lines.insert(a / LINE);

    svg(lines.size() * 16 + 46,
        "The words of shared memory that the lanes want, by bank");
    label("", "start", LEFT, 14, "bank 0");
    label("", "end", LEFT + BANKS * CELL, 14, "bank 31");
    label("", "end", LEFT - 8, 14, "byte");
    label("", "end", LEFT - 8, 32, "words");
    for (size_t line : lines) {
        label("", "end", LEFT - 8, y + 12, "%zu", line * LINE);
        for (size_t b = 0; b < BANKS; b++) {
            size_t word = line * BANKS + b;
            bool served = wanted(first, shown, word);
            rect(shown && wanted(shown - 1, shown, word) ? "tile now"
                 : served                                ? "tile"
                 : wanted(0, first, word)                ? "done"
                                                         : "frame",
                 LEFT + (double)b * CELL, y, CELL, 14);
            words[b] += served;
        }
        y += 16;
    }
    for (size_t b = 0; b < BANKS; b++)
        if (words[b] > 0)
            label(words[b] > 1 ? "clash" : "fits", "middle",
                  LEFT + (double)b * CELL + CELL / 2, 32, "%zu", words[b]);
    add("</svg></div>\n");

    emu::Instruction last = load_of(first, shown, false);
    emu::Instruction shared = load_of(0, shown, false);
    emu::Instruction global = load_of(0, shown, true);
    add("<p>Lanes %zu to %zu are served together: so far %zu wavefront%s "
        "needed, as many as the fullest bank has words.</p>\n",
        first, first + group - 1, (size_t)last.needed,
        last.needed == 1 ? " is" : "s are");
    table("states");
    row_of("th", "th", "all lanes so far|needed|at best");
    two_counts("wavefronts, if the tile is in shared memory",
               (double)shared.needed, (double)shared.best);
    two_counts("sectors of 32 bytes, if it is in global memory",
               (double)global.needed, (double)global.best);
    add("</table></div>\n");
}
