/* module.cpp: what stands outside of the kernels: variables, files. */
#include "07_cuda/witness/module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "07_cuda/witness/allocations.h"

Words split(const std::string &text, char at)
{
    Words words;
    std::string word;
    int depth = 0;

    for (char c : text) {
        depth += std::strchr("{[(", c) != nullptr;
        depth -= std::strchr("}])", c) != nullptr;
        if (c == at && !depth) {
            words.push_back(word);
            word.clear();
        } else if (!std::isspace((unsigned char)c))
            word += c;
    }
    if (!word.empty())
        words.push_back(word);
    return words;
}

int bytes_of_type(const std::string &type)
{
    return std::atoi(type.c_str() + 1) / 8;
}

Declaration declaration_of(const std::string &text)
{
    Declaration d;
    size_t equals = text.find('=');
    const char *s = text.c_str();
    char word[2000];
    bool pointer = false; /* .align is then of what it points to */
    int n, count = 1;

    if (equals != std::string::npos)
        d.values = text.substr(equals + 1);
    while (std::sscanf(s, " %1999[^][ \t\n=;,]%n", word, &n) == 1) {
        s += n;
        std::string w = word;
        if (w == ".ptr")
            pointer = true;
        if (w == ".align")
            d.align = (int)std::strtol(s, (char **)&s, 10);
        else if (w == ".shared" || w == ".global" || w == ".const" ||
                 w == ".local" || w == ".param" || w == ".reg")
            d.space = w.substr(1);
        else if (w[0] == '.' && bytes_of_type(w.substr(1)))
            d.type = w.substr(1);
        else if (w[0] != '.') {
            d.name = w;
            break;
        }
    }
    if (!d.align || pointer)
        d.align = std::max(bytes_of_type(d.type), 1);
    if (*s == '[')
        count = std::atoi(s + 1);
    d.bytes = count * (d.type.empty() ? 0 : bytes_of_type(d.type));
    return d;
}

namespace
{
/* `{1, 2}` or `0f3F800000`, as they lie in memory. */
void fill(u8 *to, const Declaration &d)
{
    std::string list = d.values;
    int size = bytes_of_type(d.type);

    std::memset(to, 0, (size_t)d.bytes);
    for (char &c : list)
        if (std::strchr("{};", c))
            c = ' ';
    for (const std::string &v : split(list)) {
        bool bits = v[0] == '0' && (v[1] == 'f' || v[1] == 'd');
        u64 x = bits ? std::strtoull(v.c_str() + 2, nullptr, 16)
                     : (u64)std::strtoll(v.c_str(), nullptr, 0);
        std::memcpy(to, &x, (size_t)size);
        to += size;
    }
}
} // namespace

Module::Module(const char *text) : ptx(text)
{
    for (const char *s = text; *s; s += *s == '\n') {
        std::string line(s, std::strcspn(s, "\n"));
        s += line.size();
        int number;
        char path[1000];
        if (std::sscanf(line.c_str(), " .file %d \"%999[^\"]\"", &number,
                        path) == 2)
            files[number] = path;
        /* These begin at the margin; what is in a kernel doesn't. */
        if (line[0] != '.' || line.find(".func") != std::string::npos ||
            line.find(".entry") != std::string::npos)
            continue;
        Declaration d = declaration_of(line.substr(0, line.find(';')));
        if (d.space == "shared")
            shared[d.name] = {d.align, d.bytes};
        if (d.space != "global" && d.space != "const")
            continue;
        u8 *at = allocate((size_t)d.bytes);
        fill(at, d);
        variables[d.name] = {(u64)at, d.bytes};
    }
}
