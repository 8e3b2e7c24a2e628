# cu2cpp.sed: translates a .cu file to C++.
# kernel<<<grid, block>>>(args)  ->  emu::kernel(kernel, "kernel")(grid, block)(args)
# No macro can replace this syntax. __noinline__ cannot be a macro, since C++'s
# headers use the word.

# Joins the lines of a launch, and keeps their newlines.
:join
/<<</{
    />>>[[:space:]]*\(/!{
        N
        b join
    }
}
s/([A-Za-z_][A-Za-z_0-9:]*(<[^<>;()]*>)?)[[:space:]]*<<<([^;]*)>>>[[:space:]]*\(/emu::kernel(\1, "\1")(\3)(/
s/(^|[^(_])__noinline__/\1__attribute__((noinline))/g
