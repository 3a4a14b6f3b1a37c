#!/bin/sh
# Packs a folder into an archive, again and again, at an even pace.
# usage: sh steady.sh FOLDER ARCHIVE SECONDS
end=$(($(date +%s) + $3))
while [ "$(date +%s)" -lt "$end" ]; do
    tar --exclude=site-packages --exclude=dist-packages --exclude=test -cf "$2" -C "$1" .
    sleep 0.2
done
