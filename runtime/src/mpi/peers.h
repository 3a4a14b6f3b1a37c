/* peers.h: the communication of this process: partners of point-to-point and one-sided calls,
 * collectives by communicator (peers.c). Called from the wrappers, by any thread. */
#ifndef JST_PEERS_H
#define JST_PEERS_H

#include <stdbool.h>
#include <stdint.h>

/** rank: of MPI_COMM_WORLD. */
void jst_peer_sent(uint32_t rank, uint64_t bytes);
/** is_room: how much arrived is not known; bytes is the size of the buffer. */
void jst_peer_received(uint32_t rank, uint64_t bytes, bool is_room);
/** operation: a static string such as "MPI_Allreduce"; root: its world rank or JST_MPI_NO_PEER;
 *  communicator: a hash of its world ranks in order, equal on all members, 0: MPI_COMM_WORLD. */
void jst_peer_collective(uint32_t communicator, const char *operation, uint32_t root,
                         uint64_t bytes);
/** Once per communicator, when it is first used; ranks: its members' world ranks in order.
 *  MPI_COMM_WORLD needs none. */
void jst_peer_communicator(uint32_t communicator, const uint32_t *ranks, uint32_t size);

/** MPI is initialised, by the calling thread. */
void jst_peers_begin(uint32_t world_size);
/** The tables are empty from here on. */
void jst_peers_new_part(void);
void jst_peers_child(void); /* which has no MPI */

/* In the heartbeat (peer_record.c): */
/** At a slice boundary, at which `slice` begins. */
void jst_peers_tick(int fd, uint64_t slice);
/** Communicators that are in no record yet. */
void jst_communicators_drain(int fd);

#endif
