# Sourced by every transcript: the binary, the sample channels, and a server for them.
# shellcheck shell=bash
chanmirror() { "$BUILD/src/cli/chanmirror" "$@"; }

# The bundled sample of real records.
# shellcheck disable=SC2034  # for the transcripts
CHANNELS=$SOURCE/tests/data/channels

# serve DIR [RULE...]: a scripted server for DIR; sets UPSTREAM, writes the requests to requests.log. Ends the one before.
serve() {
    [[ -z ${server_pid:-} ]] || { kill "$server_pid" && wait "$server_pid"; } 2>/dev/null
    local dir=$1
    shift
    rm -f port requests.log
    printf '%s\n' "$@" >rules
    "$BUILD/tests/support/chm_test_server" "$dir" --script rules --port-file port --log requests.log --die-with-parent \
        >server.out 2>&1 &
    server_pid=$!
    local _
    for _ in {1..200}; do
        [[ ! -s port ]] || break
        sleep 0.02
    done
    # shellcheck disable=SC2034
    UPSTREAM=http://127.0.0.1:$(<port)
}

# tiny_channel NAME SUBDIR: a channel of one package in ./NAME, small enough to read; its server's root is '.'.
tiny_channel() {
    mkdir -p "$1/$2"
    printf '%s' "{\"info\":{\"subdir\":\"$2\"},\"packages\":{\"tiny-1.0-0.tar.bz2\":{\"name\":\"tiny\",\"version\":\"1.0\",\"build\":\"0\"," \
        "\"build_number\":0,\"depends\":[],\"md5\":\"0123456789abcdef0123456789abcdef\"}},\"packages.conda\":{},\"x_unknown\":[1]}" \
        >"$1/$2/repodata.json"
}

# The state of a mirror in one line per fact, to show that a failed run changed nothing: what `current` is, and leftovers.
mirror_state() {
    readlink "$1/current" || echo "no snapshot"
    find "$1" \( -name '*.tmp' -o -name '*.unfinished' \) -printf 'left behind: %P\n'
}

# in_mounts SCRIPT: runs bash code with mounts of its own, as root there.
in_mounts() {
    if ((EUID == 0)); then unshare -m bash -c "$1"; else unshare -rm bash -c "$1"; fi
}
export -f chanmirror
