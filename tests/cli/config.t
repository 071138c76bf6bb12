Every value and its origin: a flag beats a variable beats the file beats the default.

  $ chanmirror config
  # configuration file: none
  root: HERE/.local/share/chanmirror  # default
  channels: [pytorch, nvidia, conda-forge]  # default
  custom_multichannels: {}  # default
  default_channels: []  # default
  channel_relations_max_depth: 10  # default
  subdirs: []  # default
  upstreams: {}  # default
  rank_upstreams: true  # default
  packages: {}  # default
  jobs: 8  # default
  jobs_per_host: 8  # default
  limit_rate: 0  # default
  proxy_servers: {}  # default
  ssl_verify: true  # default
  client_ssl_cert: ''  # default
  client_ssl_cert_key: ''  # default
  retries: 4  # default
  stall_timeout: 60  # default
  max_shrink: 10  # default
  channel_priority: strict  # default
  add_pip_as_python_dependency: true  # default
  virtual_packages: {}  # default
  $ printf 'root: data\nchannels: [conda-forge]\njobs: 4\nvirtual_packages: {__cuda: 12.4}\nupstreams:\n  default: https://ada:secret@mirror.example.org/conda\n' >chanmirror.yml
  $ chanmirror config
  # configuration file: HERE/chanmirror.yml
  root: HERE/data  # HERE/chanmirror.yml:1
  channels: [conda-forge]  # HERE/chanmirror.yml:2
  custom_multichannels: {}  # default
  default_channels: []  # default
  channel_relations_max_depth: 10  # default
  subdirs: []  # default
  upstreams: {default: https://mirror.example.org/conda}  # HERE/chanmirror.yml:5
  rank_upstreams: true  # default
  packages: {}  # default
  jobs: 4  # HERE/chanmirror.yml:3
  jobs_per_host: 8  # default
  limit_rate: 0  # default
  proxy_servers: {}  # default
  ssl_verify: true  # default
  client_ssl_cert: ''  # default
  client_ssl_cert_key: ''  # default
  retries: 4  # default
  stall_timeout: 60  # default
  max_shrink: 10  # default
  channel_priority: strict  # default
  add_pip_as_python_dependency: true  # default
  virtual_packages: {__cuda: 12.4=0}  # HERE/chanmirror.yml:4
  $ CHANMIRROR_ROOT=/srv/a CHANMIRROR_JOBS=2 chanmirror config | grep -E 'root|jobs'
  root: /srv/a  # CHANMIRROR_ROOT
  jobs: 2  # CHANMIRROR_JOBS
  jobs_per_host: 8  # default
  $ CHANMIRROR_ROOT=/srv/a chanmirror --root /srv/b config | grep root
  root: /srv/b  # --root
  $ chanmirror config --json | python3 -m json.tool | head -8
  {
      "root": {
          "value": "HERE/data",
          "origin": "HERE/chanmirror.yml:1"
      },
      "channels": {
          "value": "[conda-forge]",
          "origin": "HERE/chanmirror.yml:2"
  $ mkdir -p .config/chanmirror elsewhere && echo 'jobs: 3' >.config/chanmirror/config.yml
  $ (cd elsewhere && chanmirror config | grep -E 'file|jobs')
  # configuration file: HERE/.config/chanmirror/config.yml
  jobs: 3  # HERE/.config/chanmirror/config.yml:1
  jobs_per_host: 8  # default
  $ printf 'packages:\n  pytorch: all\n  conda-forge:\n    match: [numpy 1.26.*]\n    prefer_conda: yes\n' >chanmirror.yml
  $ chanmirror config | grep packages
  packages: {pytorch: all, conda-forge: {policy: matching, match: [numpy=1.26], prefer_conda: true}}  # HERE/chanmirror.yml:1
  virtual_packages: {}  # default
