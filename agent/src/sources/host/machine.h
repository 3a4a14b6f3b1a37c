/* machine.h: what the source `machine` is made of (machine.c, processor.c). */
#ifndef JST_MACHINE_H
#define JST_MACHINE_H

#include "source.h"

/** Looks which CPUs there are; they are looked for again where their number has changed. */
void jst_processor_begin(unsigned cpus);
/** Frequencies, limits and throttling, as far as the kernel shows them. */
void jst_processor_report(jst_component *c);

#endif
