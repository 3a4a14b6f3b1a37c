/* peers.h: bytes and calls per partner of point-to-point calls (peers.c). */
#ifndef JST_PEERS_H
#define JST_PEERS_H

#include <stdint.h>

void jst_peers_begin(uint32_t world_size);
void jst_peer_sent(uint32_t rank, uint64_t bytes);
void jst_peer_received(uint32_t rank, uint64_t room);

void jst_peers_write(int fd);

#endif
