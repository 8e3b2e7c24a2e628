/*
 * parse.cpp: the PTX of one kernel to instructions, whose operands are places
 * among a warp's registers. A number is a place too, filled before the start.
 */
#include <cstring>
#include <map>

#include "07_cuda/witness/module.h"
#include "07_cuda/witness/opcode.h"

namespace
{
struct Symbol {
    enum { REGISTER, ADDRESS, DYNAMIC, PARAMETER } what;
    int bytes = 0; /* of a register; a predicate has none */
    s64 at = -1;   /* a register's place, when it has one; an address */
};

bool begins(const char *s, const char *with)
{
    return std::strncmp(s, with, std::strlen(with)) == 0;
}

class Parser
{
  public:
    Parser(const Module &of, Kernel &to) : module(of), k(to)
    {
    }
    void run(const char *entry);

  private:
    const Module &module;
    Kernel &k;
    int line = 1;      /* of the PTX */
    std::string where; /* as .loc said last */
    struct Scope {     /* what is declared between two braces */
        std::map<std::string, Symbol> symbols;
        std::map<std::string, int> labels;
        std::vector<std::pair<int, std::string>> jumps; /* of instructions */
    };
    std::vector<Scope> scopes{1};
    std::map<std::pair<u64, int>, Operand> numbers;

    template <class... A> [[noreturn]] void bad(const char *format, A... a)
    {
        char what[400];
        std::snprintf(what, sizeof what, format, a...);
        stop("%s: %s", here().c_str(), what);
    }
    std::string here()
    {
        return where.empty() ? "line " + std::to_string(line) + " of the PTX"
                             : where;
    }

    int room(int &all, int bytes, int align)
    {
        int at = (all + align - 1) / align * align;
        all = at + bytes;
        return at;
    }
    Operand new_register(int bytes)
    {
        int each = bytes * WIDTH;
        return {bytes ? room(k.register_bytes, each, 4 * WIDTH)
                      : k.predicates++,
                bytes};
    }

    void header(const char *from, const char *to);
    void declare(const std::string &text);
    void location(const std::string &loc);
    void statement(const std::string &text);
    void body(const char *s);
    void close();

    Symbol *find(const std::string &name);
    Operand number(u64 value, int bytes);
    Operand constant(int what, s64 value, int bytes);
    Operand operand(const std::string &text, int bytes);
    Operand literal(const std::string &text, int bytes);
    void flatten(const std::string &text, Instruction &in, bool address);
};

/* --- Names -------------------------------------------------------------------
 */

Symbol *Parser::find(const std::string &name)
{
    size_t digits = name.find_last_not_of("0123456789") + 1;
    std::string range = name.substr(0, digits);

    for (size_t i = scopes.size(); i-- > 0;) {
        std::map<std::string, Symbol> &here = scopes[i].symbols;
        auto it = here.find(name);
        if (it == here.end() && here.count(range)) /* %r12 of %r<330>: %r */
            it = here.emplace(name, here[range]).first;
        if (it == here.end())
            continue;
        Symbol &s = it->second;
        if (s.at < 0)
            s.at = new_register(s.bytes).at;
        return &s;
    }
    auto shared = module.shared.find(name);
    if (shared != module.shared.end()) { /* here it is used: it gets its room */
        int bytes = shared->second.bytes;
        Symbol s = {bytes ? Symbol::ADDRESS : Symbol::DYNAMIC, 8, 0};
        s.at = SHARED_BASE + room(k.shared_bytes, bytes, shared->second.align);
        return &(scopes[0].symbols[name] = s);
    }
    auto variable = module.variables.find(name);
    if (variable == module.variables.end())
        return nullptr;
    Symbol s = {Symbol::ADDRESS, 8, (s64)variable->second.address};
    return &(scopes[0].symbols[name] = s);
}

Operand Parser::constant(int what, s64 value, int bytes)
{
    Operand to = new_register(bytes);

    k.constants.push_back({(decltype(Constant::what))what, to, (u64)value, ""});
    return to;
}

Operand Parser::number(u64 value, int bytes)
{
    auto known = numbers.find({value, bytes});

    if (known == numbers.end())
        known = numbers
                    .emplace(std::make_pair(value, bytes),
                             constant(Constant::NUMBER, (s64)value, bytes))
                    .first;
    Operand o = known->second;
    o.value = (s64)value;
    return o;
}

Operand Parser::literal(const std::string &t, int bytes)
{
    bool bits = t[0] == '0' && t.size() > 2 && std::strchr("fFdD", t[1]);

    return number(bits          ? std::strtoull(t.c_str() + 2, nullptr, 16)
                  : t[0] == '-' ? (u64)std::strtoll(t.c_str(), nullptr, 0)
                                : std::strtoull(t.c_str(), nullptr, 0),
                  bytes);
}

/* `bytes`: as wide as a number has to be. */
Operand Parser::operand(const std::string &t, int bytes)
{
    if (t == "_")
        return new_register(8);
    if (std::isdigit((unsigned char)t[0]) || t[0] == '-')
        return literal(t, bytes);
    Symbol *s = find(t);
    if (!s && t[0] == '%') {
        Operand o = constant(Constant::SPECIAL, 0, 4);
        k.constants.back().name = t;
        scopes[0].symbols[t] = {Symbol::REGISTER, 4, o.at};
        return o;
    }
    if (!s)
        bad("%s: not declared", t.c_str());
    switch (s->what) {
    case Symbol::ADDRESS:
        return number((u64)s->at, bytes);
    case Symbol::DYNAMIC:
        return constant(Constant::DYNAMIC_SHARED, 0, bytes);
    case Symbol::PARAMETER:
        return constant(Constant::PARAMETER, s->at, 8);
    default:
        return {(int)s->at, s->bytes};
    }
}

/* {a, b}, [a + 8], [map, {x, y, z}], a|b: one operand after the other. */
void Parser::flatten(const std::string &t, Instruction &in, bool address)
{
    size_t n = in.o.size(), plus = t.find('+'), bar = t.find('|');

    if (t[0] == '{' || t[0] == '[' || t[0] == '(') {
        for (const std::string &part : split(t.substr(1, t.size() - 2)))
            flatten(part, in, t[0] == '[');
    } else if (bar != std::string::npos) {
        flatten(t.substr(0, bar), in, false);
        flatten(t.substr(bar + 1), in, false);
    } else if (address) {
        in.o.push_back(operand(t.substr(0, plus), 8));
        in.o.back().value =
            plus == std::string::npos
                ? 0
                : std::strtoll(t.c_str() + plus + 1, nullptr, 0);
    } else {
        bool wide = in.text.substr(0, in.text.find(' ')).find("64") !=
                    std::string::npos;
        in.o.push_back(operand(t, n < in.op.bytes.size() ? in.op.bytes[n]
                                  : wide                 ? 8
                                                         : 4));
    }
}

/* --- Statements --------------------------------------------------------------
 */

void Parser::declare(const std::string &text)
{
    if (begins(text.c_str(), ".pragma"))
        return;
    if (begins(text.c_str(), ".reg")) { /* .reg .b32 %r<330>; .reg .pred p, q */
        size_t type = text.find('.', 1), end = text.find_first_of(" \t", type);
        int bits = std::atoi(text.c_str() + type + 2);
        Symbol s = {Symbol::REGISTER, bits == 64 ? 8 : bits ? 4 : 0};
        for (const std::string &name : split(text.substr(end)))
            scopes.back().symbols[name.substr(0, name.find('<'))] = s;
        return;
    }
    Declaration d = declaration_of(text);
    Symbol s = {Symbol::ADDRESS, 8};
    if (d.space == "shared")
        s.at = SHARED_BASE + room(k.shared_bytes, d.bytes, d.align);
    else if (d.space == "local")
        s.at = room(k.local_bytes, d.bytes, d.align);
    else
        bad("%s: not known here", text.c_str());
    scopes.back().symbols[d.name] = s;
}

void Parser::location(const std::string &loc)
{
    int file, row, from, at;
    size_t inlined = loc.find("inlined_at");
    auto name = [&](int f, int r) {
        auto it = module.files.find(f);
        return (it == module.files.end() ? "?" : it->second) + ":" +
               std::to_string(r);
    };

    if (std::sscanf(loc.c_str(), ".loc %d %d", &file, &row) != 2)
        return;
    where = name(file, row);
    if (inlined != std::string::npos &&
        std::sscanf(loc.c_str() + inlined, "inlined_at %d %d", &from, &at) == 2)
        where += " (called at " + name(from, at) + ")";
}

void Parser::statement(const std::string &text)
{
    Instruction in;
    std::string t = text;

    if (t[0] == '.')
        return declare(t);
    if (t[0] == '@') {
        size_t blank = t.find_first_of(" \t");
        std::string p = t.substr(1, blank - 1);
        in.guard_not = p[0] == '!';
        in.guard = operand(p.substr(in.guard_not), 0).at;
        t = t.substr(t.find_first_not_of(" \t", blank));
    }
    size_t blank = t.find_first_of(" \t");
    std::string name = t.substr(0, blank);
    Words given = split(blank == std::string::npos ? "" : t.substr(blank));
    bool moves = begins(name.c_str(), "mov."); /* these must know of braces */
    if (moves && given[0][0] == '{')
        name += ".{}=";
    if ((moves || begins(name.c_str(), "wgmma.mma")) && given[1][0] == '{')
        name += ".={}";

    in.text = t;
    in.where = here();
    in.op = opcode_of(name);
    if (!in.op.run)
        bad("this interpreter does not know `%s`", t.c_str());
    if (in.op.kind == BRANCH)
        scopes.back().jumps.push_back({(int)k.code.size(), given[0]});
    else
        for (const std::string &g : given)
            flatten(g, in, false);
    for (size_t i = 0; i < in.op.bytes.size(); i++)
        if (in.o.size() != in.op.bytes.size() ||
            in.o[i].bytes != in.op.bytes[i])
            bad("operand %zu of `%s`", i + 1, t.c_str());
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
            bad("no label %s", jump.second.c_str());
        else
            scopes.back().jumps.push_back(jump);
    }
}

/* From behind the first { to behind the last }. */
void Parser::body(const char *s)
{
    for (;;) {
        if (std::isspace((unsigned char)*s))
            line += *s++ == '\n';
        else if (begins(s, "//") || begins(s, ".loc\t") || begins(s, ".loc ")) {
            std::string rest(s, std::strcspn(s, "\n"));
            if (*s == '.')
                location(rest);
            s += rest.size();
        } else if (*s == '{') {
            scopes.emplace_back();
            s++;
        } else if (*s == '}') {
            s++;
            close();
            if (scopes.empty())
                return;
        } else {
            size_t n = std::strcspn(s, " \t\n;:");
            if (s[n] == ':' && s[n + 1] != ':') {
                scopes.back().labels[std::string(s, n)] = (int)k.code.size();
                s += n + 1;
                continue;
            }
            std::string text(s, std::strcspn(s, ";"));
            s += text.size() + 1;
            for (char &c : text)
                if (c == '\n') {
                    c = ' ';
                    line++;
                }
            statement(text);
        }
    }
}

void Parser::header(const char *from, const char *to)
{
    const char *close = from + std::strcspn(from, ")");
    std::string rest(close, to);
    auto limit = [&](const char *word, int otherwise) {
        size_t at = rest.find(word);
        return at == std::string::npos
                   ? otherwise
                   : std::atoi(rest.c_str() + at + std::strlen(word));
    };

    std::string list(from, close);
    for (size_t i = 0; i <= list.size();) {
        size_t comma = std::min(list.find(',', i), list.size());
        Declaration d = declaration_of(list.substr(i, comma - i));
        i = comma + 1;
        if (d.name.empty())
            continue;
        int at = room(k.parameter_bytes, d.bytes, d.align);
        Symbol s = {Symbol::PARAMETER, 8, at};
        scopes[0].symbols[d.name] = s;
        k.parameters.push_back({d.name, at, d.bytes});
    }
    k.most_threads = limit(".maxntid", limit(".reqntid", 0));
    k.blocks_per_sm = limit(".minnctapersm", 1);
}

void Parser::run(const char *entry)
{
    const char *open = std::strchr(entry, '{');

    for (const char *c = module.ptx; c < open; c++)
        line += *c == '\n';
    header(std::strchr(entry, '(') + 1, open);
    body(open + 1);
    Instruction last;
    last.op = opcode_of("exit");
    last.text = "(the end)";
    last.where = here();
    k.code.push_back(last);
}
} // namespace

Kernel *compile(const Module &m, const std::string &entry)
{
    std::string head = ".entry " + entry + "(";
    const char *at = std::strstr(m.ptx, head.c_str());

    if (!at)
        return nullptr;
    Kernel *k = new Kernel;
    k->name = entry;
    Parser(m, *k).run(at);
    return k;
}
