What `cmake --install` puts where, and a manual page without faults.

  $ DESTDIR=$PWD/staged cmake --install "$BUILD" --prefix /usr >/dev/null
  $ (cd staged/usr && find . -type f | sort)
  ./bin/chanmirror
  ./share/bash-completion/completions/chanmirror
  ./share/doc/chanmirror/LICENSE
  ./share/doc/chanmirror/README.md
  ./share/doc/chanmirror/examples/chanmirror.yml
  ./share/doc/chanmirror/examples/upstreams.yml
  ./share/fish/vendor_completions.d/chanmirror.fish
  ./share/man/man1/chanmirror.1
  ./share/zsh/site-functions/_chanmirror
  $ mandoc -T lint -W warning staged/usr/share/man/man1/chanmirror.1
  $ man -l --warnings staged/usr/share/man/man1/chanmirror.1 2>&1 >/dev/null
  $ (cd "$BUILD" && cpack -B "$OLDPWD/package" >/dev/null 2>&1) && dpkg-deb --contents package/*.deb | awk '$1 !~ /^d/ {print $1, $6}' | sort -k2
  -rwxr-xr-x ./usr/bin/chanmirror
  -rw-r--r-- ./usr/share/bash-completion/completions/chanmirror
  -rw-r--r-- ./usr/share/doc/chanmirror/LICENSE
  -rw-r--r-- ./usr/share/doc/chanmirror/README.md
  -rw-r--r-- ./usr/share/doc/chanmirror/examples/chanmirror.yml
  -rw-r--r-- ./usr/share/doc/chanmirror/examples/upstreams.yml
  -rw-r--r-- ./usr/share/fish/vendor_completions.d/chanmirror.fish
  -rw-r--r-- ./usr/share/man/man1/chanmirror.1
  -rw-r--r-- ./usr/share/zsh/site-functions/_chanmirror
  $ dpkg-deb --field package/*.deb Package Version Section
  Package: chanmirror
  Version: 0.1.0
  Section: utils
  $ dpkg-deb --field package/*.deb Depends | grep -o 'libsolv1\|libcurl4'
  libcurl4
  libsolv1
  $ grep -c '^\.SH\|^\.SS' staged/usr/share/man/man1/chanmirror.1
  22
