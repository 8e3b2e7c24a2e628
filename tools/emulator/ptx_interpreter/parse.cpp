/* parse.cpp: translates the PTX of one kernel to instructions. Each operand
 * becomes the index of a register. */
#include <cstring>
#include <cxxabi.h>

#include "tools/emulator/ptx_interpreter/module.h"
#include "tools/emulator/ptx_interpreter/opcode.h"

namespace
{
struct Parser {
    const Module &module;
    Kernel &k;
    std::string where;   /* the line that messages name */
    std::string located; /* the line in the last .loc */
    struct Scope {       /* the names between two braces */
        std::map<std::string, Operand> symbols;
        std::map<std::string, int> labels;
        /* index of a branch, and the label of its target */
        std::vector<std::pair<int, std::string>> jumps;
    };
    std::vector<Scope> scopes{1};
    int dynamic_align = 16;

    Parser(const Module &of, Kernel &to) : module(of), k(to)
    {
        for (const std::string &name : specials)
            for (const char *axis : {".x", ".y", ".z"}) {
                Operand s = new_register();
                scopes[0].symbols.insert({name, s});
                scopes[0].symbols.insert({name + axis, s});
            }
    }
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
    Operand new_register()
    {
        return {k.registers++};
    }

    Operand find(const std::string &name)
    {
        for (size_t i = scopes.size(); i-- > 0;)
            if (scopes[i].symbols.count(name))
                return scopes[i].symbols[name];
        auto found = module.variables.find(name);
        if (found == module.variables.end())
            bad("not declared:", name);
        const Declaration &v = found->second;
        u64 at = v.address;
        if (!at && v.bytes) /* a shared variable: its first use allocates it */
            at = SHARED_BASE + (u64)room(k.shared_bytes, v.bytes, v.align);
        else if (!at) {
            at = DYNAMIC;
            dynamic_align = std::max(dynamic_align, v.align);
        }
        return scopes[0].symbols[name] = number_of(at);
    }

    Operand number_of(u64 value)
    {
        auto made = k.constants.insert({value, {k.registers}});

        k.registers += made.second;
        return made.first->second;
    }

    /* Parses an operand: a, 12, %r1 or %r1+8. */
    Operand operand(const std::string &t)
    {
        size_t plus = std::min(t.find('+'), t.size());

        if (std::isdigit((u8)t[0]) || t[0] == '-')
            return number_of(literal(t));
        Operand o = t == "_" ? new_register() : find(t.substr(0, plus));
        o.offset = (s64)literal(t.substr(std::min(plus + 1, t.size())));
        return o;
    }

    void declare(const std::string &text)
    {
        Scope &here = scopes.back();

        if (begins(text, ".reg")) { /* .reg .b32 %r<330>; .reg .pred p, q */
            size_t type = text.find('.', 1);
            for (const std::string &name :
                 words(&text[text.find(' ', type)], ", ")) {
                std::vector<std::string> parts =
                    words(name, "<>"); /* %r, 330 */
                int n = parts.size() > 1 ? std::stoi(parts[1]) : 0;
                for (int i = 0; i < n; i++)
                    here.symbols[parts[0] + std::to_string(i)] = new_register();
                if (!n)
                    here.symbols[name] = new_register();
            }
            return;
        }
        Declaration d = declaration_of(text);
        u64 at = 0;
        if (d.space == "shared")
            at = SHARED_BASE + (u64)room(k.shared_bytes, d.bytes, d.align);
        else if (d.space == "local")
            at = LOCAL_BASE + (u64)room(k.local_bytes, d.bytes, d.align);
        else
            bad("unsupported here:", text);
        here.symbols[d.name] = number_of(at);
    }

    /* Parses .loc FILE LINE COLUMN, function_name F, inlined_at FILE LINE
     * COLUMN */
    void location(const std::string &text)
    {
        std::vector<std::string> w = words(text, " ,");
        auto at = std::find(w.begin(), w.end(), "inlined_at");
        auto place = [&](const std::string &file, const std::string &line) {
            auto known = module.files.find(file);
            return (known == module.files.end() ? "?" : known->second) + ":" +
                   line;
        };

        located = place(w[1], w[2]);
        if (at != w.end())
            located += " (called at " + place(at[1], at[2]) + ")";
    }

    void statement(std::string t)
    {
        Instruction in;

        if (t[0] == '@') {
            size_t blank = t.find(' ');
            in.guard_not = t[1] == '!';
            size_t name = 1 + in.guard_not;
            in.guard = {operand(t.substr(name, blank - name))};
            t = t.substr(t.find_first_not_of(' ', blank));
        }
        size_t blank = std::min(t.find(' '), t.size());
        std::string name = t.substr(0, blank);
        bool packs = begins(name, "mov.") && t.find('{') != t.npos;
        /* {a, b}, [a+8], [map, {x, y, z}] and a|b are lists of operands. */
        const char *between = ", []{}()|";
        size_t first = t.find(t.find('{') == blank + 1 ? '}' : ',', blank);

        in.text = t;
        in.where = where;
        in.op = opcode_of(name + (packs ? ".{}" : ""));
        in.space = name.find(".shared") != name.npos   ? SHARED
                   : name.find(".global") != name.npos ? GLOBAL
                                                       : ANY;
        if (!in.op.run)
            bad("unsupported instruction", t);
        if (in.op.writes)
            in.written = words(t.substr(blank, first - blank), between).size();
        for (const std::string &given : words(t.substr(blank), between))
            if (begins(name, "bra"))
                scopes.back().jumps.push_back({(int)k.code.size(), given});
            else
                in.o.push_back(operand(given));
        if (in.op.operands && in.o.size() != in.op.operands)
            bad("wrong number of operands in", t);
        k.code.push_back(in);
    }

    /* Ends a scope. All its labels are known now, so a jump to another label
     * leaves the scope. */
    void close()
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

    /* Parses a head: NAME(.param .u64 a, .param .align 64 .b8 b[128] ) .maxntid
     * 128, 1, 1 */
    void head(const std::string &text)
    {
        size_t open = text.find('('), close = text.find(')');
        auto limit = [&](const char *word, int otherwise) {
            size_t at = text.find(word, close);
            return at == text.npos ? otherwise
                                   : std::atoi(&text[at] + std::strlen(word));
        };

        for (const std::string &each :
             words(text.substr(open + 1, close - open - 1), ",")) {
            Declaration d = declaration_of(each);
            if (d.name.empty())
                continue;
            u8 *at = allocate((size_t)d.bytes);
            scopes[0].symbols[d.name] = number_of((u64)at);
            k.parameters.push_back({at, d.bytes});
        }
        k.max_threads = limit(".maxntid", limit(".reqntid", 0));
        k.blocks_per_sm = limit(".minnctapersm", 1);
    }

    void body(const Piece *piece)
    {
        while (!scopes.empty()) {
            const std::string &p = (++piece)->text;
            where = located.empty()
                        ? "line " + std::to_string(piece->line) + " of the PTX"
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
};
} // namespace

Kernel *compile(const Module &m, const std::string &kernel)
{
    const Piece *head = &m.pieces[m.kernels.at(kernel)];
    Kernel *k = new Kernel;
    Parser parser(m, *k);
    char *demangled =
        abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, nullptr);

    k->name = demangled ? demangled : kernel;
    parser.head(head->text);
    parser.body(head + 1);
    return k;
}
