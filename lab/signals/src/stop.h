/* stop.h: signals that ask this process to end. SIGINT, SIGTERM, SIGHUP: at once, since a kill may
 * follow; SIGUSR1: when convenient, which launchers of MPI jobs pass on without ending the job. */
#ifndef JST_SIGNAL_STOP_H
#define JST_SIGNAL_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

extern volatile sig_atomic_t jst_stop_signal; /* the first that came; 0: none */

void jst_stop_install(void);

/* When a signal came that a kill may follow; 0: none came. */
int64_t jst_ending_since(void);

#endif
