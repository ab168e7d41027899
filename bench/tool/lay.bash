# Completion of lay in bash: commands and options as `lay help` has them, layouts' names, then files.

_lay_commands()
{
    "$1" help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p'
}

# --name, and --name= where a value follows
_lay_options()
{
    "$1" help "$2" 2>/dev/null | sed -n 's/^  \(-.,\|   \) \(--[a-z][a-z-]*=\{0,1\}\).*/\2/p'
}

# What a layout of a problem may be called, behind its colon.
_lay_layouts()
{
    "$1" help explain 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9]*\)  *[^ ].*/\1/p'
}

_lay()
{
    local lay=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        words="$(_lay_commands "$lay") --help --version"
    elif [ "$command" = help ]; then
        words=$(_lay_commands "$lay")
    elif [ "${word#-}" != "$word" ]; then
        words=$(_lay_options "$lay" "$command")
    elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = : ] || [ "$word" = : ]; then
        [ "$word" = : ] && word=
        words=$(_lay_layouts "$lay")
    fi
    if [ "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
    case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
    return 0
}

complete -o filenames -F _lay lay
