A commented configuration file that the program itself reads, and the root's folders.

  $ chanmirror init --root "$PWD/mirror"
  wrote HERE/chanmirror.yml; the mirror's root is HERE/mirror
  next: chanmirror sync
  $ ls mirror
  locks
  objects
  public
  snapshots
  solutions
  state
  $ cat chanmirror.yml
  # chanmirror configuration. Every key is optional; a commented one shows its default or an example.
  
  # folder of the mirror; a relative path starts at this file's folder
  root: "HERE/mirror"
  
  # channels to mirror and to solve with, in order of priority
  # channels: [pytorch, nvidia, conda-forge]
  
  # names for several channels at once, as in conda
  # custom_multichannels: {torch: [pytorch, nvidia, conda-forge]}
  
  # what 'defaults' stands for (default: pkgs/main, pkgs/r and for Windows pkgs/msys2)
  # default_channels: [pkgs/main, pkgs/r]
  
  # how far to follow what channels declare to build on (CEP 42); 0: not at all
  # channel_relations_max_depth: 10
  
  # platforms to mirror; noarch always comes with them (default: this host's)
  # subdirs: [linux-64]
  
  # where to fetch from, per channel, without the channel's name; several: as a list (default: its own URL)
  # upstreams: {conda-forge: [https://mirror.example.org/conda, https://conda.anaconda.org]}
  
  # of several upstreams of a channel, ask the fastest first (measured once a week)
  # rank_upstreams: true
  
  # what package files are stored, per channel: none, matching or all (default: none)
  # packages: {pytorch: all, default: {match: [python 3.11.*, numpy], prefer_conda: true}}
  
  # transfers at once
  # jobs: 8
  
  # connections to one server at once
  # jobs_per_host: 8
  
  # bytes a second that all transfers together may take, such as 10M; 0: no limit
  # limit_rate: 0
  
  # proxies by the scheme of what is fetched, as in conda (default: http_proxy, https_proxy, no_proxy of the environment)
  # proxy_servers: {https: 'http://proxy.example.org:3128'}
  
  # file of the certificate authorities to trust (PEM); true: the system's
  # ssl_verify: /etc/ssl/certs/our-proxy.pem
  
  # client certificate that upstreams ask for (PEM)
  # client_ssl_cert: /etc/ssl/mirror.pem
  
  # its key (PEM), unless it is in the same file
  # client_ssl_cert_key: /etc/ssl/mirror.key
  
  # further tries of a transfer that failed in a passing way
  # retries: 4
  
  # seconds without a byte after which a transfer is tried again
  # stall_timeout: 60
  
  # percent of its records that an index may lose in one sync (then: --accept-shrink)
  # max_shrink: 10
  
  # strict, flexible or disabled, as in conda
  # channel_priority: strict
  
  # a solution that has python also gets pip, as with conda and mamba
  # add_pip_as_python_dependency: true
  
  # what target machines offer, beside the platform's defaults
  # virtual_packages: {__cuda: 12.4, __glibc: 2.28}
  $ chanmirror config | grep '^root'
  root: HERE/mirror  # HERE/chanmirror.yml:4
  $ chanmirror init
  chanmirror: error: HERE/chanmirror.yml exists; edit it, or name another file with --config
  [2]
  $ chanmirror init --config other.yml --root "$PWD/second" && ls other.yml
  wrote HERE/other.yml; the mirror's root is HERE/second
  next: chanmirror sync
  other.yml
