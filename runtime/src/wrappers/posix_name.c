/* posix_name.c: wraps calls that make, change or remove a name, and its attributes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "posix_meta.h"
#include "symbols/resolve.h"

#include "generated/posix_name.inc"
