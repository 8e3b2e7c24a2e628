# cu2cpp.sed: translates a .cu file to C++.
# kernel<<<grid, block>>>(args)  ->  emu::kernel(kernel, "kernel")(grid, block)(args)
# No macro can replace this syntax. __noinline__ cannot be a macro, since C++'s
# headers use the word. A __device__ variable gets a tag (language.h).
# The host's constant arrays become variables, since constants have no hooks.

# A launch may have several lines, and a line several launches. Joins lines until >>>
# follows the last <<<, and keeps their newlines.
:join
s/([A-Za-z_][A-Za-z_0-9:]*(<[^<>;()]*>)?)[[:space:]]*<<<(([^;>]|>[^>]|>>[^>])*>?)>>>([[:space:]]*)\(/emu::kernel(\1, "\1")(\3)\5(/g
/<<<([^>]|>[^>]|>>[^>])*(>>?|>>>[[:space:]]*)?$/{
    $!{
        N
        b join
    }
}
s/(^|[^(_])__noinline__/\1__attribute__((noinline))/g
s/__device__([[:space:]]+(__align__\([^()]*\)[[:space:]]*)?[A-Za-z_][^(){};=[]*[;=[{])/EMU_VARIABLE\1/g
s/^((static|inline) )*(const|constexpr) ((static|inline) )*([^(){};=*[]*\[[^(){};=]*=)/static \6/
