/*
 * parse.cpp: the PTX of one kernel to instructions, whose operands are places
 * among a warp's registers. A number is a place too, filled before the start.
 */
#include <cxxabi.h>
#include <sstream>

#include "07_cuda/witness/module.h"
#include "07_cuda/witness/opcode.h"

namespace
{
struct Symbol {
    enum { REGISTER, ADDRESS, SPECIAL } what;
    int bytes;   /* of a register */
    s64 at = -1; /* a register's place, when it has one; an address; a number */
};

class Parser
{
  public:
    Parser(const Module &of, Kernel &to) : module(of), k(to)
    {
    }
    void head(const std::string &text);
    void body(Reader reader);

  private:
    const Module &module;
    Kernel &k;
    std::string where, located; /* the line; as .loc said last */
    struct Scope {              /* what is declared between two braces */
        std::map<std::string, Symbol> symbols;
        std::map<std::string, int> labels;
        std::vector<std::pair<int, std::string>> jumps; /* of instructions */
    };
    std::vector<Scope> scopes{1};
    int dynamic_align = 16; /* of what a launch adds to shared memory */
    std::map<std::pair<u64, int>, Operand> numbers;

    [[noreturn]] void bad(const std::string &what, const std::string &text)
    {
        stop("%s: %s `%s`", where.c_str(), what.c_str(), text.c_str());
    }
    int room(int &all, int bytes, int align)
    {
        int at = (all + align - 1) / align * align;
        all = at + bytes;
        return at;
    }
    Operand new_register(int bytes)
    {
        return {(size_t)room(k.register_bytes, bytes * WIDTH, 4 * WIDTH),
                bytes};
    }

    Symbol *find(const std::string &name);
    Operand number(u64 value, int bytes);
    Operand operand(const std::string &text, int bytes);
    void flatten(const std::string &text, Instruction &in, bool address);
    void declare(const std::string &text);
    void location(const std::string &text);
    void statement(std::string text);
    void close();
};

/* --- Names ------------------------------------------------------------------- */

Symbol *Parser::find(const std::string &name)
{
    std::map<std::string, Symbol> &outside = scopes[0].symbols;
    std::string range = name.substr(0, name.find_last_not_of("0123456789") + 1);

    for (size_t i = scopes.size(); i-- > 0;) {
        std::map<std::string, Symbol> &here = scopes[i].symbols;
        auto it = here.find(name);
        if (it == here.end() && here.count(range)) /* %r12 of %r<330>: %r */
            it = here.emplace(name, here.at(range)).first;
        if (it == here.end())
            continue;
        if (it->second.at < 0)
            it->second.at = (s64)new_register(it->second.bytes).at;
        return &it->second;
    }
    auto found = module.variables.find(name);
    Symbol s = {Symbol::SPECIAL, 4, special_register(name)};
    if (found != module.variables.end()) {
        const Variable &v = found->second;
        s = {Symbol::ADDRESS, 8, (s64)v.address};
        if (!v.address && v.bytes) /* here it is used: it gets its room */
            s.at = SHARED_BASE + room(k.shared_bytes, v.bytes, v.align);
        if (!v.address && !v.bytes) {
            s = {Symbol::SPECIAL, 8, special_register("%dynamic_shared")};
            dynamic_align = std::max(dynamic_align, v.align);
        }
    }
    return s.at < 0 ? nullptr : &(outside[name] = s);
}

Operand Parser::number(u64 value, int bytes)
{
    auto made = numbers.insert({{value, bytes}, {}});
    Operand &o = made.first->second;

    if (made.second) {
        o = new_register(bytes);
        o.value = (s64)value;
        k.constants.push_back({o, value, -1});
    }
    return o;
}

/* `bytes`: as wide as a number has to be. */
Operand Parser::operand(const std::string &t, int bytes)
{
    if (t == "_")
        return new_register(8);
    if (std::isdigit((u8)t[0]) || t[0] == '-')
        return number(literal(t), bytes);
    Symbol *s = find(t);
    if (!s)
        bad("not declared:", t);
    if (s->what == Symbol::ADDRESS)
        return number((u64)s->at, bytes);
    if (s->what == Symbol::REGISTER)
        return {(size_t)s->at, s->bytes};
    Operand o = new_register(s->bytes == 8 ? bytes : 4);
    k.constants.push_back({o, 0, (int)s->at});
    return o;
}

/* {a, b}, [a + 8], [map, {x, y, z}], a|b: one operand after the other. */
void Parser::flatten(const std::string &t, Instruction &in, bool address)
{
    size_t n = in.o.size(), plus = t.find('+'), bar = t.find('|');
    bool wide = in.text.substr(0, in.text.find(' ')).find("64") != t.npos;

    if (std::strchr("{[(", t[0])) {
        for (const std::string &part : split(t.substr(1, t.size() - 2)))
            flatten(part, in, t[0] == '[');
    } else if (bar != t.npos) {
        flatten(t.substr(0, bar), in, false);
        flatten(t.substr(bar + 1), in, false);
    } else if (address) {
        in.o.push_back(operand(t.substr(0, plus), 8));
        in.o.back().value =
            plus == t.npos ? 0 : (s64)literal(t.substr(plus + 1));
    } else
        in.o.push_back(operand(t, n < in.op.bytes.size() ? in.op.bytes[n]
                                  : wide                 ? 8
                                                         : 4));
}

/* --- Pieces ------------------------------------------------------------------ */

void Parser::declare(const std::string &text)
{
    std::map<std::string, Symbol> &here = scopes.back().symbols;

    if (begins(text, ".reg")) { /* .reg .b32 %r<330>; .reg .pred p, q */
        size_t type = text.find('.', 1), end = text.find(' ', type);
        int bytes = bytes_of_type(text.substr(type, end - type));
        for (const std::string &name : split(text.substr(end)))
            here[name.substr(0, name.find('<'))] = {Symbol::REGISTER,
                                                    bytes == 8 ? 8 : 4};
        return;
    }
    Declaration d = declaration_of(text);
    int at = 0;
    if (d.space == ".shared")
        at = (int)SHARED_BASE + room(k.shared_bytes, d.bytes, d.align);
    else if (d.space == ".local")
        at = room(k.local_bytes, d.bytes, d.align);
    else
        bad("not known here:", text);
    here[d.name] = {Symbol::ADDRESS, 8, at};
}

/* .loc FILE LINE COLUMN, function_name F, inlined_at FILE LINE COLUMN */
void Parser::location(const std::string &text)
{
    const char *inlined = std::strstr(text.c_str(), "inlined_at");
    auto place = [&](const char *s) {
        char *end;
        auto file = module.files.find((int)std::strtol(s, &end, 10));
        return (file == module.files.end() ? "?" : file->second) + ":" +
               std::to_string(std::strtol(end, nullptr, 10));
    };

    located = place(text.c_str() + 4);
    if (inlined)
        located += " (called at " + place(inlined + 10) + ")";
}

void Parser::statement(std::string t)
{
    Instruction in;

    if (t[0] == '@') {
        size_t blank = t.find(' ');
        in.guard_not = t[1] == '!';
        size_t name = 1 + in.guard_not;
        in.guard = {operand(t.substr(name, blank - name), 4)};
        t = t.substr(t.find_first_not_of(' ', blank));
    }
    size_t blank = std::min(t.find(' '), t.size());
    std::string name = t.substr(0, blank);
    Words given = split(t.substr(blank));
    bool moves = begins(name, "mov."); /* these must know of braces */
    if (moves && given[0][0] == '{')
        name += ".{}=";
    if ((moves || begins(name, "wgmma.mma")) && given[1][0] == '{')
        name += ".={}";

    in.text = t;
    in.where = where;
    in.op = opcode_of(name);
    if (!in.op.run)
        bad("this interpreter does not know", t);
    if (in.op.kind == BRANCH)
        scopes.back().jumps.push_back({(int)k.code.size(), given[0]});
    else
        for (const std::string &g : given)
            flatten(g, in, false);
    for (size_t i = 0; i < in.op.bytes.size(); i++)
        if (in.o.size() != in.op.bytes.size() ||
            in.o[i].bytes != in.op.bytes[i])
            bad("operand " + std::to_string(i + 1) + " of", t);
    k.code.push_back(in);
}

/* Where a scope ends its labels are known; other jumps lead out of it. */
void Parser::close()
{
    Scope ended = scopes.back();

    scopes.pop_back();
    for (const auto &jump : ended.jumps) {
        auto label = ended.labels.find(jump.second);
        if (label != ended.labels.end())
            k.code[(size_t)jump.first].target = label->second;
        else if (scopes.empty())
            bad("no label", jump.second);
        else
            scopes.back().jumps.push_back(jump);
    }
}

/* .param .u64 a, .param .align 64 .b8 b[128] ) .maxntid 128, 1, 1 */
void Parser::head(const std::string &text)
{
    size_t close = text.find(')');
    auto limit = [&](const char *word, int otherwise) {
        size_t at = text.find(word, close);
        return at == text.npos ? otherwise
                               : std::atoi(&text[at] + std::strlen(word));
    };

    std::istringstream list(text.substr(0, close));
    for (std::string each; std::getline(list, each, ',');) {
        Declaration d = declaration_of(each);
        if (d.name.empty())
            continue;
        int at = room(k.parameter_bytes, d.bytes, d.align);
        scopes[0].symbols[d.name] = {Symbol::ADDRESS, 8, (s64)PARAMETERS + at};
        k.parameters.push_back({at, d.bytes});
    }
    k.most_threads = limit(".maxntid", limit(".reqntid", 0));
    k.blocks_per_sm = limit(".minnctapersm", 1);
}

void Parser::body(Reader reader)
{
    reader.next(); /* { */
    while (!scopes.empty()) {
        std::string p = reader.next();
        where = located.empty()
                    ? "line " + std::to_string(reader.line) + " of the PTX"
                    : located;
        if (p == "{")
            scopes.emplace_back();
        else if (p == "}")
            close();
        else if (p.back() == ':')
            scopes.back().labels[p.substr(0, p.size() - 1)] =
                (int)k.code.size();
        else if (begins(p, ".loc "))
            location(p);
        else if (p[0] == '.' && !begins(p, ".pragma"))
            declare(p);
        else if (p[0] != '.')
            statement(p);
    }
    statement("exit");
    room(k.shared_bytes, 0, dynamic_align);
}
} // namespace

Kernel *compile(const Module &m, const std::string &entry)
{
    auto found = m.entries.find(entry);
    if (found == m.entries.end())
        return nullptr;
    Kernel *k = new Kernel;
    Parser parser(m, *k);
    char *demangled =
        abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, nullptr);
    k->name = demangled ? demangled : entry;
    parser.head(found->second.head);
    parser.body(found->second.body);
    return k;
}
