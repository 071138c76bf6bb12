Completions are made from the parser. Each shell accepts its script, and bash's completes.

  $ chanmirror completion bash >completion.bash && bash -n completion.bash
  $ chanmirror completion zsh >_chanmirror && zsh -n _chanmirror
  $ chanmirror completion fish >chanmirror.fish && fish --no-execute chanmirror.fish
  $ shellcheck -s bash completion.bash
  $ . ./completion.bash
  $ complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _chanmirror; printf '%s\n' "${COMPREPLY[@]}"; }
  $ complete_words chanmirror s
  sync
  solve
  status
  snapshot
  $ complete_words chanmirror sync --u
  --upstream
  $ complete_words chanmirror --root /srv solve --f
  --format
  $ complete_words chanmirror solve --format ''
  explicit
  json
  $ complete_words chanmirror completion ''
  bash
  zsh
  fish
  $ touch a.lock && complete_words chanmirror solve -o a
  a.lock
  $ fish -c 'source chanmirror.fish; complete -C "chanmirror so"'
  solve	Solve an environment on the mirror's indexes and write a lock
  $ chanmirror completion powershell
  chanmirror: error: SHELL: powershell not in {bash,zsh,fish}; see 'chanmirror completion --help'
  [2]
