/* module.cpp: splits PTX into pieces, and reads those outside of kernels. */
#include "tools/emulator/ptx_interpreter/module.h"

#include <cstdlib>
#include <cstring>
#include <regex>

bool begins(const std::string &text, const char *with)
{
    return text.compare(0, std::strlen(with), with) == 0;
}

static size_t length_of_piece(const char *at)
{
    size_t word = std::strcspn(at, " \t\n;:"), line = std::strcspn(at, ";{(\n");

    if (std::isspace((u8)*at) || std::strchr("{};", *at))
        return 1;
    if (at[0] == '/' && at[1] == '/')
        return std::strcspn(at, "\n");
    if (at[word] == ':' && at[word + 1] != ':')
        return word + 1;
    if (*at == '.' && at[line] == '\n') /* .loc, .file, .version */
        return line;
    return std::strcspn(at, *at == '.' && at[line] == '(' ? ";{" : ";");
}

static std::vector<Piece> pieces_of(const char *at)
{
    std::vector<Piece> pieces;
    int line = 1;

    for (size_t n; *at; at += n) {
        n = length_of_piece(at);
        Piece piece = {std::string(at, n), line};
        line += (int)std::count(at, at + n, '\n');
        for (char &c : piece.text)
            c = std::isspace((u8)c) ? ' ' : c;
        if (!std::strchr(" ;/", *piece.text.c_str()))
            pieces.push_back(piece);
    }
    return pieces;
}

std::vector<std::string> words(const std::string &text, const char *between)
{
    std::vector<std::string> found;

    for (size_t at = 0, n; at < text.size(); at += n + 1) {
        n = std::strcspn(&text[at], between);
        if (n > 0)
            found.push_back(text.substr(at, n));
    }
    return found;
}

/* Returns the bits of a number: 12, -3, 0x1F or 0f3F800000. */
u64 literal(const std::string &text)
{
    if (text[0] == '0' && text.size() > 2 && std::strchr("fFdD", text[1]))
        return std::strtoull(text.c_str() + 2, nullptr, 16);
    return std::strtoull(text.c_str(), nullptr, 0);
}

Declaration declaration_of(const std::string &text)
{
    /* groups: space, align, bits of an element, name, [count] */
    static const std::regex form(
        R"(\.(shared|local|global|const|param) +(?:\.align +(\d+) +)?)"
        R"(\.[a-z]+(\d+)(?: +\.ptr.*)? +([\w$]+) *(?:\[(\d*)\])?)");
    Declaration d;
    std::smatch found;
    size_t equals = std::min(text.find('='), text.size());
    const std::string before = text.substr(0, equals);
    auto number = [&](int i) { return std::atoi(found.str(i).c_str()); };

    if (!std::regex_search(before, found, form))
        return d;
    d.space = found[1];
    d.size = number(3) / 8;
    d.align = std::max(number(2), d.size);
    d.name = found[4];
    d.bytes = d.size * (found[5].matched ? number(5) : 1);
    d.values = text.substr(equals);
    return d;
}

/* Allocates a variable with its values, as `= {1, 2}`. Other elements are 0. */
static u64 new_variable(const Declaration &d)
{
    u8 *first = allocate((size_t)d.bytes), *to = first;

    std::memset(to, 0, (size_t)d.bytes);
    for (const std::string &v : words(d.values, "={}, ")) {
        u64 x = literal(v);
        if (!std::isdigit((u8)v[0]) && v[0] != '-')
            stop("%s = %s: not supported", d.name.c_str(), v.c_str());
        std::memcpy(to, &x, (size_t)d.size);
        to += d.size;
    }
    return (u64)first;
}

Module::Module(const char *ptx) : pieces(pieces_of(ptx))
{
    int depth = 0;

    for (size_t i = 0; i < pieces.size(); i++) {
        const std::string &p = pieces[i].text;
        size_t entry = p.find(".entry "), open = p.find('(');
        depth += (p == "{") - (p == "}");
        if (begins(p, ".file ")) {
            size_t name = p.find('"') + 1;
            files[words(p, " ")[1]] = p.substr(name, p.find('"', name) - name);
        } else if (begins(p, ".target sm_"))
            target = p.substr(11, p.find(',') - 11);
        else if (entry != p.npos)
            kernels[p.substr(entry + 7, open - entry - 7)] = i;
        else if (!depth && p[0] == '.' && open == p.npos) {
            Declaration d = declaration_of(p);
            if (d.space == "global" || d.space == "const")
                d.address = new_variable(d);
            variables[d.name] = d;
        }
    }
}
