Help is complete, goes to standard output, and needs no configuration and no mirror.

  $ chanmirror --version
  chanmirror 0.1.0
  $ chanmirror --help 2>/dev/null
  chanmirror - a local mirror of conda channels, solved and locked
  Usage: chanmirror [OPTIONS] [SUBCOMMAND]
  
  Options:
    -h,--help                       Print this help message and exit
    --version                       Print the version and exit
    --root DIR                      Folder of the mirror [CHANMIRROR_ROOT]
    --config FILE                   Configuration file [CHANMIRROR_CONFIG]; default: ./chanmirror.yml, else $XDG_CONFIG_HOME/chanmirror/config.yml
    --offline                       Fetch nothing from a network
    --json                          One JSON document on standard output, progress as JSON lines
    -q,--quiet                      Only warnings and errors
    -v,--verbose                    Say more of what is done
    --no-progress                   Plain lines instead of progress bars
    --color WHEN:{auto,always,never}=auto
                                    When to use colour (NO_COLOR is honoured)
  
  Subcommands:
    init                            Write a commented chanmirror.yml and an empty mirror root
    sync                            Bring channels up to date, in one transaction
    solve                           Solve an environment on the mirror's indexes and write a lock
    condarc                         Print client configuration that points at this mirror
    explain-spec                    Show how a package spec is read
    status                          Show what the mirror holds
    verify                          Prove what is stored and what is published
    snapshot                        List, compare, restore and tidy up the mirror's snapshots
    config                          Show every setting and where it comes from
    doctor                          Show what this machine offers a solve: CPU, GPU, virtual packages
    completion                      Print a completion script for bash, zsh or fish
  
  Exit codes:
    0    done, and whole
    1    failed (a full disk, a locked root, …)
    2    the command line or the configuration is wrong
    3    no set of packages satisfies the request
    4    an upstream cannot be reached; the mirror is unchanged
    5    bytes are not what was promised; the mirror is unchanged
    6    published, without the files that missing.json names
    130  interrupted (143: terminated); the mirror is as it was or as it was to be
  
  Example:
    chanmirror sync pytorch nvidia conda-forge
    chanmirror solve --spec pytorch-gpu --spec python=3.12 -c conda-forge --virtual __cuda=12.6 -o torch.lock
    chanmirror condarc -o ~/.condarc
  $ for command in init sync solve condarc explain-spec status config doctor completion; do chanmirror $command --help; done
  Write a commented chanmirror.yml and an empty mirror root
  Usage: chanmirror init [OPTIONS]
  
  Options:
    -h,--help                       Print this help message and exit
  
  Example:
    chanmirror init --root /srv/chanmirror
  Bring channels up to date, in one transaction
  Usage: chanmirror sync [OPTIONS] [CHANNEL...]
  
  Positionals:
    CHANNEL TEXT ...                Channels by name (nvidia/label/cuda-12.4.1) or URL; default: the configured ones
  
  Options:
    -h,--help                       Print this help message and exit
    --upstream URL                  Fetch from URL/CHANNEL instead of each channel's own address
    --subdir SUBDIR ...             Platform to mirror; may be repeated, and noarch always comes with it
    --jobs N:UINT in [1 - 256]      Transfers at once
    --limit-rate RATE               Bytes a second that all transfers together may take, such as 10M
    --packages POLICY               Which packages to store in this sync: none, matching or all; default: as configured, else none
    --match MATCHSPEC ...           Store the packages that match; may be repeated (with --packages matching)
    --dry-run                       Fetch the indexes and say what would be fetched and stored; change nothing
    --accept-shrink                 Take indexes that lost more than max_shrink of their records, or are older than the mirror's
  
  Exits with 6 when packages are missing: they are not published, and named in missing.json.
  
  Example:
    chanmirror sync pytorch nvidia conda-forge --root /srv/chanmirror --subdir linux-64
  Solve an environment on the mirror's indexes and write a lock
  Usage: chanmirror solve [OPTIONS]
  
  Options:
    -h,--help                       Print this help message and exit
    --spec MATCHSPEC ...            What must be in the environment, as conda writes it; may be repeated
    -c,--channel CHANNEL ...        Channels in order of priority; default: the configured ones
    --platform SUBDIR=linux-64      Platform to solve for
    --this-machine                  Start from what this machine has (chanmirror doctor shows it) instead of the platform's defaults
    --virtual NAME=V[=BUILD] ...    What the target machine offers (__cuda=12.4); 'NAME=' takes one away. Counts more than a CONDA_OVERRIDE_* variable
    --channel-priority MODE         strict, flexible or disabled
    --format FORMAT:{explicit,json}=explicit
                                    What to write
    -o,--output FILE                Write to FILE instead of standard output
  
  Example:
    chanmirror solve --spec pytorch=2.1.0 --spec pytorch-cuda=12.1 --spec python=3.11 -c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 -o torch.lock
  Print client configuration that points at this mirror
  Usage: chanmirror condarc [OPTIONS]
  
  Options:
    -h,--help                       Print this help message and exit
    --base-url URL                  Where clients find the root's folder public/; default: file://
    --client CLIENT:{conda,mamba}=conda
                                    conda and mamba read the same file
    -o,--output FILE                Write to FILE instead of standard output
    --force                         Replace FILE even if chanmirror did not write it
  
  Example:
    chanmirror condarc --base-url http://mirror.example.org/conda -o ~/.condarc
  Show how a package spec is read
  Usage: chanmirror explain-spec [OPTIONS] SPEC...
  
  Positionals:
    SPEC TEXT ... REQUIRED          MatchSpecs, as conda writes them; quote them for the shell
  
  Options:
    -h,--help                       Print this help message and exit
  
  Exit code 2 when one of them cannot be read.
  
  Example:
    chanmirror explain-spec 'conda-forge::pytorch=2.7[build=cuda*]' 'numpy >=1.26,<3'
  Show what the mirror holds
  Usage: chanmirror status [OPTIONS]
  
  Options:
    -h,--help                       Print this help message and exit
  
  Example:
    chanmirror status --root /srv/chanmirror
  Show every setting and where it comes from
  Usage: chanmirror config [OPTIONS]
  
  Options:
    -h,--help                       Print this help message and exit
  
  Keys of chanmirror.yml, and the variables that override them:
    root                           CHANMIRROR_ROOT
    channels
    custom_multichannels
    default_channels
    channel_relations_max_depth
    subdirs
    upstreams
    rank_upstreams
    packages
    jobs                           CHANMIRROR_JOBS
    jobs_per_host
    limit_rate                     CHANMIRROR_LIMIT_RATE
    proxy_servers
    ssl_verify                     CHANMIRROR_SSL_VERIFY
    client_ssl_cert                CHANMIRROR_CLIENT_SSL_CERT
    client_ssl_cert_key            CHANMIRROR_CLIENT_SSL_CERT_KEY
    retries                        CHANMIRROR_RETRIES
    stall_timeout                  CHANMIRROR_STALL_TIMEOUT
    max_shrink
    channel_priority               CHANMIRROR_CHANNEL_PRIORITY
    add_pip_as_python_dependency
    virtual_packages
  
  Example:
    CHANMIRROR_ROOT=/srv/chanmirror chanmirror config
  Show what this machine offers a solve: CPU, GPU, virtual packages
  Usage: chanmirror doctor [OPTIONS]
  
  Options:
    -h,--help                       Print this help message and exit
  
  Exits with 2 when the configuration or a CONDA_OVERRIDE_* variable is wrong.
  
  Example:
    chanmirror doctor
  Print a completion script for bash, zsh or fish
  Usage: chanmirror completion [OPTIONS] SHELL
  
  Positionals:
    SHELL TEXT:{bash,zsh,fish} REQUIRED
                                    bash, zsh or fish
  
  Options:
    -h,--help                       Print this help message and exit
  
  Example:
    source <(chanmirror completion bash)
