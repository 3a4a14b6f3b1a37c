# ccache.sh: sourced before a build: a build folder does not compile again what another one has compiled.
#
# The folder is no part of the key: the debug information of an object may name another build's folder.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1
fi
