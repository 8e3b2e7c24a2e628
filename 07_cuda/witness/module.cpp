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

/* --- Pieces ------------------------------------------------------------------ */

void Reader::skip(size_t n)
{
    line += (int)std::count(at, at + n, '\n');
    at += n;
}

std::string Reader::next()
{
    while (std::isspace((u8)*at) || (at[0] == '/' && at[1] == '/'))
        skip(*at == '/' ? std::strcspn(at, "\n") : 1);
    size_t word = std::strcspn(at, " \t\n;:"), n = std::strcspn(at, ";{(\n");
    if (*at == '{' || *at == '}')
        n = 1;
    else if (at[word] == ':' && at[word + 1] != ':')
        n = word + 1;
    else if (*at != '.' || at[n] != '\n') /* or a line of .loc or .file */
        n = std::strcspn(at, *at == '.' && at[n] == '(' ? ";{" : ";");
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
    return type.size() > 2 ? std::atoi(type.c_str() + 2) / 8 : 0;
}

Declaration declaration_of(const std::string &text)
{
    Declaration d;
    size_t equals = std::min(text.find('='), text.size());
    std::istringstream words(text.substr(0, equals));
    bool pointer = false; /* .align is then of what it points to */
    int count = 1, align;

    d.values = text.substr(equals);
    for (std::string w; words >> w;) {
        pointer |= w == ".ptr";
        if (w == ".align" && words >> align && !pointer)
            d.align = align;
        else if (w[0] == '.' && bytes_of_type(w))
            d.size = bytes_of_type(w);
        else if (w == ".shared" || w == ".local" || w == ".global" ||
                 w == ".const")
            d.space = w;
        else if (w[0] != '.') {
            size_t bracket = std::min(w.find('['), w.size());
            d.name = w.substr(0, bracket);
            if (bracket < w.size())
                count = std::atoi(w.c_str() + bracket + 1);
        }
    }
    d.bytes = count * d.size;
    d.align = std::max(d.align, d.size);
    return d;
}

/* `= {1, 2}` or `= 0f3F800000`, as they lie in memory; the rest is 0. */
static void fill(u8 *to, const Declaration &d)
{
    std::string list = d.values;

    std::memset(to, 0, (size_t)d.bytes);
    for (char &c : list)
        if (std::strchr("={}", c))
            c = ' ';
    for (const std::string &v : split(list)) {
        u64 x = literal(v);
        if (!std::isdigit((u8)v[0]) && v[0] != '-')
            stop("%s = %s: not known here", d.name.c_str(), v.c_str());
        std::memcpy(to, &x, (size_t)d.size);
        to += d.size;
    }
}

Module::Module(const char *ptx)
{
    Reader reader(ptx);
    int depth = 0;

    for (std::string p = reader.next(); !p.empty(); p = reader.next()) {
        size_t entry = p.find(".entry "), open = p.find('(');
        depth += (p == "{") - (p == "}");
        if (begins(p, ".file ")) {
            size_t name = p.find('"') + 1;
            files[std::atoi(&p[6])] = p.substr(name, p.find('"', name) - name);
        } else if (begins(p, ".target sm_"))
            target = p.substr(11, p.find(',') - 11);
        else if (entry != p.npos)
            entries.insert({p.substr(entry + 7, open - entry - 7),
                            {p.substr(open + 1), reader}});
        else if (!depth && p[0] == '.' && open == p.npos)
            declare(declaration_of(p));
    }
}

void Module::declare(const Declaration &d)
{
    u64 at = 0;

    if (d.space == ".global" || d.space == ".const") {
        at = (u64)allocate((size_t)d.bytes);
        fill((u8 *)at, d);
    }
    if (at || d.space == ".shared")
        variables[d.name] = {at, d.align, d.bytes};
}
