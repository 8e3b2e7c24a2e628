# awk -f mutate.awk FILE: what could be changed in a C file, a line each: number,
# line, what. With -v wanted=N: the file with change number N made.
#
# A change is small enough to be a slip of the hand: another relation, another
# sign, a constant off by one, a name taken for its neighbour, a condition
# turned round, a statement left out. It is made on tokens; what does not
# compile is the compiler's to refuse. Comments, strings and preprocessor lines
# stay as they are. docs/assurance.md

{ text = text $0 "\n" }

# --- Tokens ------------------------------------------------------------------

function skipped(rest) {
    if (match(rest, /^[ \t\n]+/) || match(rest, /^\/\/[^\n]*/) ||
        match(rest, /^#([^\\\n]|\\.|\\\n)*\n/) ||
        match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/))
        return RLENGTH
    return substr(rest, 1, 2) == "/*" ? index(rest, "*/") + 1 : 0
}

function token_of(rest) {
    # 0x1p-24 is one number
    if (match(rest, /^[0-9]([0-9A-Za-z_.]|[pP][-+])*/) ||
        match(rest, /^[A-Za-z_][A-Za-z_0-9]*/) ||
        match(rest, /^(<<=|>>=|->|\+\+|--|<<|>>|&&|\|\||[-<>=!+*\/%&|^]=)/))
        return substr(rest, 1, RLENGTH)
    return substr(rest, 1, 1)
}

function tokens(    at, rest, length_of, line) {
    line = 1
    for (at = 1; at <= length(text); at += length_of) {
        rest = substr(text, at)
        if ((length_of = skipped(rest)) > 0) {
            rest = substr(rest, 1, length_of)
            line += gsub(/\n/, "", rest)
            continue
        }
        word[n] = token_of(rest)
        length_of = length(word[n])
        from[n] = at
        line_of[n] = line
        n++
    }
}

# --- Changes -----------------------------------------------------------------

# Tokens first .. last become this; the first one names the line.
function change(first, last, to,    begin, end, was) {
    begin = from[first]
    end = from[last] + length(word[last])
    was = substr(text, begin, end - begin)
    if (wanted != "" && number == wanted + 0)
        printf "%s%s%s", substr(text, 1, begin - 1), to, substr(text, end)
    sub(/\n.*/, "", was)
    if (wanted == "")
        print number "\t" line_of[first] "\t" was " -> " to
    number++
}

# Pairs: the first for the second; with back, the second for the first, too.
function swap_by(t, pairs, back,    pair, k, m) {
    m = split(pairs, pair, " ")
    for (k = 1; k < m; k += 2) {
        if (word[t] == pair[k])
            change(t, t, pair[k + 1])
        if (back && word[t] == pair[k + 1])
            change(t, t, pair[k])
    }
}

function swap(t) {
    # a sign, a pointer, an address
    if (word[t] ~ /^[-*&+]$/ && word[t - 1] !~ /[A-Za-z0-9_.)\]]$/)
        return
    swap_by(t, "< <= < >= <= < <= > > >= > <= >= > >= < * + * / % / / *")
    swap_by(t, "&& || & | == != + - += -= *= /= ++ -- << >> continue break " \
               "true false i j Nq Nk d dv Br Bc br bc i0 j0 K V Q K O Q m l " \
               "alpha beta rows cols fmaxf fminf a b read written", 1)
}

# The token that closes the parenthesis or brace at t.
function closing(t,    k, depth) {
    for (k = t; k < n; k++) {
        depth += (word[k] ~ /^[({[]$/) - (word[k] ~ /^[])}]$/)
        if (depth == 0)
            return k
    }
    return t
}

function negate(t,    end) {
    if (word[t] != "if" || word[t + 1] != "(")
        return
    end = closing(t + 1)
    change(t + 1, end, "(!" substr(text, from[t + 1], \
                                   from[end] + 1 - from[t + 1]) ")")
}

# A statement begins behind one, and behind the head of an if or a loop; inside
# of parentheses there is none.
function leave_out(t,    end) {
    inside += (word[t] == "(") - (word[t] == ")")
    if (t == 0 || inside || word[t - 1] !~ /^([;{})]|else)$/ || word[t] ~ \
        /^(if|for|while|do|else|switch|case|default|return|break|continue)$/ ||
        word[t] ~ /^(static|typedef|struct|enum|[{};)])$/)
        return
    for (end = t; end < n && word[end] !~ /^[;{)]$/;)
        end = word[end] ~ /^[([]$/ ? closing(end) + 1 : end + 1
    if (word[end] == ";" && end > t + 1)
        change(t, end, ";")
}

END {
    number = n = 0
    tokens()
    for (t = 0; t < n; t++) {
        swap(t)
        if (word[t] ~ /^[0-9]/) {
            change(t, t, "(" word[t] " + 1)")
            change(t, t, "(" word[t] " - 1)")
        }
        negate(t)
        leave_out(t)
    }
}
