# kernel<<<grid, block>>>(args)  ->  emu::kernel(kernel, "kernel")(grid, block)(args)
# No macro can replace this syntax. Nor can __noinline__ be a macro, since C++'s
# headers use the word.

# Joins a launch of several lines; the newlines are kept.
:join
/<<</{
    />>>[[:space:]]*\(/!{
        N
        b join
    }
}
s/([A-Za-z_][A-Za-z_0-9:]*(<[^<>;()]*>)?)[[:space:]]*<<<([^;]*)>>>[[:space:]]*\(/emu::kernel(\1, "\1")(\3)(/
s/(^|[^(_])__noinline__/\1__attribute__((noinline))/g
