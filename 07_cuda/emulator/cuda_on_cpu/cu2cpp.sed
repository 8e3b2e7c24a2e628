# kernel<<<grid, block>>>(args)  ->  emu::kernel(kernel, "kernel")(grid, block)(args)
# The one piece of CUDA's syntax that no macro can give to C++; and a word that
# can't be one, since C++'s own headers have it.

# a launch that is broken over several lines is joined, newlines kept
:join
/<<</{
    />>>[[:space:]]*\(/!{
        N
        b join
    }
}
s/([A-Za-z_][A-Za-z_0-9:]*(<[^<>;()]*>)?)[[:space:]]*<<<([^;]*)>>>[[:space:]]*\(/emu::kernel(\1, "\1")(\3)(/
s/(^|[^(_])__noinline__/\1__attribute__((noinline))/g
