What `cmake --install` puts where, and a manual page without faults.

  $ DESTDIR=$PWD/staged cmake --install "$BUILD" --prefix /usr >/dev/null
  $ (cd staged/usr && find . -type f | sort)
  ./bin/chanmirror
  ./share/bash-completion/completions/chanmirror
  ./share/doc/chanmirror/LICENSE
  ./share/doc/chanmirror/README.md
  ./share/doc/chanmirror/examples/chanmirror.yml
  ./share/fish/vendor_completions.d/chanmirror.fish
  ./share/man/man1/chanmirror.1
  ./share/zsh/site-functions/_chanmirror
  $ mandoc -T lint -W warning staged/usr/share/man/man1/chanmirror.1
  $ man -l --warnings staged/usr/share/man/man1/chanmirror.1 2>&1 >/dev/null
  $ grep -c '^\.SH\|^\.SS' staged/usr/share/man/man1/chanmirror.1
  14
