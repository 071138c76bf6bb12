custom_channels' values do not end in the channel's name: conda adds it.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch && tiny_channel lab/label/dev linux-64 && tiny_channel conda-forge linux-64
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync lab lab/label/dev conda-forge --subdir linux-64 --upstream "file://$PWD" --quiet
  $ chanmirror condarc
  # made by chanmirror: conda and mamba read these channels from the mirror
  channels:
    - conda-forge
    - lab
    - lab/label/dev
  custom_channels:
    conda-forge: file://HERE/mirror/public
    lab: file://HERE/mirror/public
    lab/label/dev: file://HERE/mirror/public
  channel_priority: strict
  show_channel_urls: true
  $ chanmirror condarc --base-url http://mirror.example.org/conda/ --client mamba | grep conda-forge
  warning: conda-forge/linux-64: its packages are at file://HERE/conda-forge/linux-64, which other machines cannot read
    - conda-forge
    conda-forge: http://mirror.example.org/conda
  $ chanmirror condarc -o condarc.yml && head -3 condarc.yml
  wrote HERE/condarc.yml
  # made by chanmirror: conda and mamba read these channels from the mirror
  channels:
    - conda-forge

A file that someone wrote by hand is not replaced, unless told to; its own file is.

  $ echo 'ssl_verify: false' >.condarc && chanmirror condarc -o .condarc
  chanmirror: error: HERE/.condarc exists and chanmirror did not write it; merge by hand, name another file, or use --force
  [2]
  $ chanmirror condarc -o .condarc --force --quiet && chanmirror condarc -o .condarc --quiet
  $ chanmirror condarc --json
  {
    "channels": [
      "conda-forge",
      "lab",
      "lab/label/dev"
    ],
    "custom_channels": {
      "conda-forge": "file://HERE/mirror/public",
      "lab": "file://HERE/mirror/public",
      "lab/label/dev": "file://HERE/mirror/public"
    },
    "channel_priority": "strict",
    "show_channel_urls": true
  }
  $ chanmirror condarc --base-url http://mirror.example.org/conda >/dev/null
  warning: conda-forge/linux-64: its packages are at file://HERE/conda-forge/linux-64, which other machines cannot read

As conda would resolve it, each channel's index is where the configuration points.

  $ python3 -c 'import re; print(*[f"{base}/{name}" for name, base in re.findall(r"^  ([^ ]+): file://(.*)$", open("condarc.yml").read(), re.M)], sep="\n")' >folders
  $ wc -l <folders; while read -r folder; do ls "$folder"/*/repodata.json >/dev/null || echo "missing: $folder"; done <folders
  3
