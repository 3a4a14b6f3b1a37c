/* machine.h: shared declarations of the source `machine` (machine.c, processor.c). */
#ifndef JST_MACHINE_H
#define JST_MACHINE_H

#include "source.h"

/** Finds the CPUs; they are searched again where their number has changed. */
void jst_processor_begin(unsigned cpus);
/** Frequencies, limits and throttling, as far as the kernel shows them. */
void jst_processor_report(jst_component *c);

#endif
