Completions are made from the parser. Each shell accepts its script, and bash's completes.

  $ chanmirror completion bash >completion.bash && bash -n completion.bash
  $ chanmirror completion zsh >_chanmirror && zsh -n _chanmirror
  $ chanmirror completion fish >chanmirror.fish && fish --no-execute chanmirror.fish
  $ shellcheck -s bash completion.bash
  $ . ./completion.bash
  $ complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _chanmirror; printf '%s\n' "${COMPREPLY[@]}"; }
  $ complete_words chanmirror s
  $ complete_words chanmirror sync --u
  $ complete_words chanmirror --root /srv solve --f
  $ complete_words chanmirror solve --format ''
  $ complete_words chanmirror completion ''
  $ touch a.lock && complete_words chanmirror solve -o a
  $ fish -c 'source chanmirror.fish; complete -C "chanmirror so"'
  $ chanmirror completion powershell
