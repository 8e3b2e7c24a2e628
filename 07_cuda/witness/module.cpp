/* module.cpp: PTX in pieces, and those that stand outside of the kernels. */
#include "07_cuda/witness/module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "07_cuda/witness/allocations.h"

bool begins(const std::string &text, const char *with)
{
    return text.compare(0, std::strlen(with), with) == 0;
}

static bool one_of(const std::string &text, const Words &words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

static bool is_head(const std::string &text)
{
    return text.find(".entry") != text.npos || text.find(".func") != text.npos;
}

/* --- Pieces ------------------------------------------------------------------ */

void Reader::skip(size_t n)
{
    line += (int)std::count(at, at + n, '\n');
    at += n;
}

std::string Reader::next()
{
    static const Words lines = {".version", ".target", ".address_size", ".file",
                                ".loc"};

    while (std::isspace((u8)*at) || (at[0] == '/' && at[1] == '/'))
        skip(*at == '/' ? std::strcspn(at, "\n") : 1);
    size_t word = std::strcspn(at, " \t\n;:"), n = std::strcspn(at, ";{");
    if (*at == '{' || *at == '}')
        n = 1;
    else if (at[word] == ':' && at[word + 1] != ':')
        n = word + 1;
    else if (one_of(std::string(at, word), lines))
        n = std::strcspn(at, "\n");
    else if (!is_head(std::string(at, n)))
        n = std::strcspn(at, ";");
    std::string piece(at, n);
    skip(n + (at[n] == ';'));
    for (char &c : piece)
        if (std::isspace((u8)c))
            c = ' ';
    return piece;
}

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
        } else if (!std::isspace((u8)c))
            word += c;
    }
    if (!word.empty())
        words.push_back(word);
    return words;
}

/* 12, -3, 0x1F, 0f3F800000: its bits. */
u64 literal(const std::string &text)
{
    if (text[0] == '0' && text.size() > 2 && std::strchr("fFdD", text[1]))
        return std::strtoull(text.c_str() + 2, nullptr, 16);
    return std::strtoull(text.c_str(), nullptr, 0);
}

/* --- Declarations ------------------------------------------------------------ */

int bytes_of_type(const std::string &type)
{
    return std::atoi(type.c_str() + std::min(type.size(), (size_t)1)) / 8;
}

Declaration declaration_of(const std::string &text)
{
    Declaration d;
    size_t equals = std::min(text.find('='), text.size());
    std::istringstream words(text.substr(0, equals));
    bool pointer = false; /* .align is then of what it points to */
    int count = 1, align;

    d.values = text.substr(std::min(equals + 1, text.size()));
    for (std::string w; words >> w;) {
        pointer |= w == ".ptr";
        if (w == ".align" && words >> align && !pointer)
            d.align = align;
        else if (one_of(w, {".shared", ".global", ".const", ".local"}))
            d.space = w.substr(1);
        else if (w[0] == '.' && bytes_of_type(w.substr(1)))
            d.type = w.substr(1);
        else if (w[0] != '.') {
            size_t bracket = w.find('[');
            d.name = w.substr(0, bracket);
            if (bracket != w.npos)
                count = std::atoi(w.c_str() + bracket + 1);
        }
    }
    d.bytes = count * bytes_of_type(d.type);
    d.align = std::max({d.align, bytes_of_type(d.type), 1});
    return d;
}

/* `{1, 2}` or `0f3F800000`, as they lie in memory; the rest is 0. */
static void fill(u8 *to, const Declaration &d)
{
    std::string list = d.values;

    std::memset(to, 0, (size_t)d.bytes);
    for (char &c : list)
        if (std::strchr("{}", c))
            c = ' ';
    for (const std::string &v : split(list)) {
        u64 x = literal(v);
        if (!std::isdigit((u8)v[0]) && v[0] != '-')
            stop("%s = %s: not known here", d.name.c_str(), v.c_str());
        std::memcpy(to, &x, (size_t)bytes_of_type(d.type));
        to += bytes_of_type(d.type);
    }
}

Module::Module(const char *ptx)
{
    Reader reader(ptx);
    int number, depth = 0;

    for (std::string p = reader.next(); !p.empty(); p = reader.next()) {
        if (begins(p, ".file ")) {
            size_t open = p.find('"') + 1;
            number = std::atoi(p.c_str() + 6);
            files[number] = p.substr(open, p.find('"', open) - open);
        } else if (begins(p, ".target sm_"))
            target = p.substr(11, p.find(',') - 11);
        else if (p.find(".entry ") != p.npos) {
            size_t name = p.find(".entry ") + 7, open = p.find('(');
            entries.insert(
                {p.substr(name, open - name), {p.substr(open + 1), reader}});
        }
        depth += (p == "{") - (p == "}");
        if (depth || is_head(p))
            continue;
        Declaration d = declaration_of(p);
        if (d.space == "shared")
            shared[d.name] = {0, d.align, d.bytes};
        if (d.space != "global" && d.space != "const")
            continue;
        u8 *at = allocate((size_t)d.bytes);
        fill(at, d);
        variables[d.name] = {(u64)at, d.align, d.bytes};
    }
}
