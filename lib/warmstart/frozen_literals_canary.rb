# The string literal that FrozenLiterals.compiler looks at; a file without a magic comment.
"canary".itself
