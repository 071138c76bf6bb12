README's commands, copied verbatim; a configuration file sends them to the bundled sample instead of the network.

  $ sed -n '/^```console/,/^```/s/^\$ \(chanmirror [^#]*\).*/\1/p' "$SOURCE/README.md" >commands && cat commands
  $ printf 'root: mirror\nupstreams: "file://%s"\n' "$CHANNELS" >chanmirror.yml
  $ . ./commands 2>&1
  $ grep -c '^https://.*#' torch.lock; grep -c public .condarc
