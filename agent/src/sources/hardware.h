/* hardware.h: sources of fabrics, power, memory traffic, GPUs and batch jobs. */
#ifndef JST_HARDWARE_H
#define JST_HARDWARE_H

#include "source.h"

extern const jst_source jst_source_batch_jobs;     /* cgroup.c: control groups of batch jobs */
extern const jst_source jst_source_fabric;         /* ports.c: InfiniBand, Omni-Path, EFA */
extern const jst_source jst_source_slingshot;      /* slingshot.c */
extern const jst_source jst_source_power;          /* power.c: RAPL, temperatures */
extern const jst_source jst_source_cray_power;     /* cray_power.c */
extern const jst_source jst_source_memory_traffic; /* imc.c: bytes of memory controllers */
extern const jst_source jst_source_nvidia;         /* nvidia.c: GPUs */

extern const char *jst_nvml_library; /* what nvidia.c opens; tests have another */

#endif
