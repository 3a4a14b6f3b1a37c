# ccache.sh: sourced before a build: what one build folder has compiled, another one does not compile again.
#
# The folder is no part of the key: the debug information of an object may name another build's folder.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1
fi
