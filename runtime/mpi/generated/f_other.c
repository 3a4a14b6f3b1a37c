/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static void jst_body_Comm_dup(unsigned id, jst_mpi_call *call, void *comm, void *newcomm, void
                              *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_dup", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Comm_dup, jst_body_Comm_dup)
JST_ENTRY_3_0(JST_PF_Comm_dup, jst_body_Comm_dup)
JST_ENTRY_3_0(JST_F08_Comm_dup, jst_body_Comm_dup)
JST_ENTRY_3_0(JST_PF08_Comm_dup, jst_body_Comm_dup)
JST_ENTRY_3_0(JST_PF08_Comm_dup_r, jst_body_Comm_dup)

static void jst_body_Comm_dup_with_info(unsigned id, jst_mpi_call *call, void *comm, void *info,
                                        void *newcomm, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, info, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_dup_with_info", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, info, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Comm_dup_with_info, jst_body_Comm_dup_with_info)
JST_ENTRY_4_0(JST_PF_Comm_dup_with_info, jst_body_Comm_dup_with_info)
JST_ENTRY_4_0(JST_F08_Comm_dup_with_info, jst_body_Comm_dup_with_info)
JST_ENTRY_4_0(JST_PF08_Comm_dup_with_info, jst_body_Comm_dup_with_info)
JST_ENTRY_4_0(JST_PF08_Comm_dup_with_info_r, jst_body_Comm_dup_with_info)

static void jst_body_Comm_idup(unsigned id, jst_mpi_call *call, void *comm, void *newcomm, void
                               *request, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, newcomm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_idup", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, newcomm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Comm_idup, jst_body_Comm_idup)
JST_ENTRY_4_0(JST_PF_Comm_idup, jst_body_Comm_idup)
JST_ENTRY_4_0(JST_F08_Comm_idup, jst_body_Comm_idup)
JST_ENTRY_4_0(JST_PF08_Comm_idup, jst_body_Comm_idup)
JST_ENTRY_4_0(JST_PF08_Comm_idup_r, jst_body_Comm_idup)

static void jst_body_Comm_idup_with_info(unsigned id, jst_mpi_call *call, void *comm, void *info,
                                         void *newcomm, void *request, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, info, newcomm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_idup_with_info", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, info, newcomm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Comm_idup_with_info, jst_body_Comm_idup_with_info)
JST_ENTRY_5_0(JST_PF_Comm_idup_with_info, jst_body_Comm_idup_with_info)
JST_ENTRY_5_0(JST_F08_Comm_idup_with_info, jst_body_Comm_idup_with_info)
JST_ENTRY_5_0(JST_PF08_Comm_idup_with_info, jst_body_Comm_idup_with_info)
JST_ENTRY_5_0(JST_PF08_Comm_idup_with_info_r, jst_body_Comm_idup_with_info)

static void jst_body_Comm_create(unsigned id, jst_mpi_call *call, void *comm, void *group, void
                                 *newcomm, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, group, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_create", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, group, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Comm_create, jst_body_Comm_create)
JST_ENTRY_4_0(JST_PF_Comm_create, jst_body_Comm_create)
JST_ENTRY_4_0(JST_F08_Comm_create, jst_body_Comm_create)
JST_ENTRY_4_0(JST_PF08_Comm_create, jst_body_Comm_create)
JST_ENTRY_4_0(JST_PF08_Comm_create_r, jst_body_Comm_create)

static void jst_body_Comm_create_group(unsigned id, jst_mpi_call *call, void *comm, void *group,
                                       void *tag, void *newcomm, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, group, tag, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_create_group", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, group, tag, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Comm_create_group, jst_body_Comm_create_group)
JST_ENTRY_5_0(JST_PF_Comm_create_group, jst_body_Comm_create_group)
JST_ENTRY_5_0(JST_F08_Comm_create_group, jst_body_Comm_create_group)
JST_ENTRY_5_0(JST_PF08_Comm_create_group, jst_body_Comm_create_group)
JST_ENTRY_5_0(JST_PF08_Comm_create_group_r, jst_body_Comm_create_group)

static void jst_body_Comm_create_from_group(unsigned id, jst_mpi_call *call, void *group, void
                                            *stringtag, void *info, void *errhandler, void *newcomm,
                                            void *ierror, size_t length0)
{
    jst_sub_6_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(group, stringtag, info, errhandler, newcomm, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_create_from_group", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(group, stringtag, info, errhandler, newcomm, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_1(JST_F_Comm_create_from_group, jst_body_Comm_create_from_group)
JST_ENTRY_6_1(JST_PF_Comm_create_from_group, jst_body_Comm_create_from_group)
JST_ENTRY_6_1(JST_F08_Comm_create_from_group, jst_body_Comm_create_from_group)
JST_ENTRY_6_1(JST_PF08_Comm_create_from_group, jst_body_Comm_create_from_group)
JST_ENTRY_6_1(JST_PF08_Comm_create_from_group_r, jst_body_Comm_create_from_group)

static void jst_body_Comm_split(unsigned id, jst_mpi_call *call, void *comm, void *color, void *key,
                                void *newcomm, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, color, key, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_split", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, color, key, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Comm_split, jst_body_Comm_split)
JST_ENTRY_5_0(JST_PF_Comm_split, jst_body_Comm_split)
JST_ENTRY_5_0(JST_F08_Comm_split, jst_body_Comm_split)
JST_ENTRY_5_0(JST_PF08_Comm_split, jst_body_Comm_split)
JST_ENTRY_5_0(JST_PF08_Comm_split_r, jst_body_Comm_split)

static void jst_body_Comm_split_type(unsigned id, jst_mpi_call *call, void *comm, void *split_type,
                                     void *key, void *info, void *newcomm, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, split_type, key, info, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_split_type", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, split_type, key, info, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Comm_split_type, jst_body_Comm_split_type)
JST_ENTRY_6_0(JST_PF_Comm_split_type, jst_body_Comm_split_type)
JST_ENTRY_6_0(JST_F08_Comm_split_type, jst_body_Comm_split_type)
JST_ENTRY_6_0(JST_PF08_Comm_split_type, jst_body_Comm_split_type)
JST_ENTRY_6_0(JST_PF08_Comm_split_type_r, jst_body_Comm_split_type)

static void jst_body_Intercomm_create(unsigned id, jst_mpi_call *call, void *local_comm, void
                                      *local_leader, void *peer_comm, void *remote_leader, void
                                      *tag, void *newintercomm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Intercomm_create", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Intercomm_create, jst_body_Intercomm_create)
JST_ENTRY_7_0(JST_PF_Intercomm_create, jst_body_Intercomm_create)
JST_ENTRY_7_0(JST_F08_Intercomm_create, jst_body_Intercomm_create)
JST_ENTRY_7_0(JST_PF08_Intercomm_create, jst_body_Intercomm_create)
JST_ENTRY_7_0(JST_PF08_Intercomm_create_r, jst_body_Intercomm_create)

static void jst_body_Intercomm_create_from_groups(unsigned id, jst_mpi_call *call, void
                                                  *local_group, void *local_leader, void
                                                  *remote_group, void *remote_leader, void
                                                  *stringtag, void *info, void *errhandler, void
                                                  *newintercomm, void *ierror, size_t length0)
{
    jst_sub_9_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
             newintercomm, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Intercomm_create_from_groups", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
         newintercomm, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_9_1(JST_F_Intercomm_create_from_groups, jst_body_Intercomm_create_from_groups)
JST_ENTRY_9_1(JST_PF_Intercomm_create_from_groups, jst_body_Intercomm_create_from_groups)
JST_ENTRY_9_1(JST_F08_Intercomm_create_from_groups, jst_body_Intercomm_create_from_groups)
JST_ENTRY_9_1(JST_PF08_Intercomm_create_from_groups, jst_body_Intercomm_create_from_groups)
JST_ENTRY_9_1(JST_PF08_Intercomm_create_from_groups_r, jst_body_Intercomm_create_from_groups)

static void jst_body_Intercomm_merge(unsigned id, jst_mpi_call *call, void *intercomm, void *high,
                                     void *newintracomm, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(intercomm, high, newintracomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Intercomm_merge", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(intercomm, high, newintracomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Intercomm_merge, jst_body_Intercomm_merge)
JST_ENTRY_4_0(JST_PF_Intercomm_merge, jst_body_Intercomm_merge)
JST_ENTRY_4_0(JST_F08_Intercomm_merge, jst_body_Intercomm_merge)
JST_ENTRY_4_0(JST_PF08_Intercomm_merge, jst_body_Intercomm_merge)
JST_ENTRY_4_0(JST_PF08_Intercomm_merge_r, jst_body_Intercomm_merge)

static void jst_body_Cart_create(unsigned id, jst_mpi_call *call, void *comm_old, void *ndims, void
                                 *dims, void *periods, void *reorder, void *comm_cart, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm_old, ndims, dims, periods, reorder, comm_cart, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Cart_create", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm_old, ndims, dims, periods, reorder, comm_cart, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Cart_create, jst_body_Cart_create)
JST_ENTRY_7_0(JST_PF_Cart_create, jst_body_Cart_create)
JST_ENTRY_7_0(JST_F08_Cart_create, jst_body_Cart_create)
JST_ENTRY_7_0(JST_PF08_Cart_create, jst_body_Cart_create)
JST_ENTRY_7_0(JST_PF08_Cart_create_r, jst_body_Cart_create)

static void jst_body_Cart_sub(unsigned id, jst_mpi_call *call, void *comm, void *remain_dims, void
                              *newcomm, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, remain_dims, newcomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Cart_sub", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm, remain_dims, newcomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Cart_sub, jst_body_Cart_sub)
JST_ENTRY_4_0(JST_PF_Cart_sub, jst_body_Cart_sub)
JST_ENTRY_4_0(JST_F08_Cart_sub, jst_body_Cart_sub)
JST_ENTRY_4_0(JST_PF08_Cart_sub, jst_body_Cart_sub)
JST_ENTRY_4_0(JST_PF08_Cart_sub_r, jst_body_Cart_sub)

static void jst_body_Graph_create(unsigned id, jst_mpi_call *call, void *comm_old, void *nnodes,
                                  void *index, void *edges, void *reorder, void *comm_graph, void
                                  *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm_old, nnodes, index, edges, reorder, comm_graph, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Graph_create", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm_old, nnodes, index, edges, reorder, comm_graph, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Graph_create, jst_body_Graph_create)
JST_ENTRY_7_0(JST_PF_Graph_create, jst_body_Graph_create)
JST_ENTRY_7_0(JST_F08_Graph_create, jst_body_Graph_create)
JST_ENTRY_7_0(JST_PF08_Graph_create, jst_body_Graph_create)
JST_ENTRY_7_0(JST_PF08_Graph_create_r, jst_body_Graph_create)

static void jst_body_Dist_graph_create(unsigned id, jst_mpi_call *call, void *comm_old, void *n,
                                       void *sources, void *degrees, void *destinations, void
                                       *weights, void *info, void *reorder, void *comm_dist_graph,
                                       void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Dist_graph_create", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Dist_graph_create, jst_body_Dist_graph_create)
JST_ENTRY_10_0(JST_PF_Dist_graph_create, jst_body_Dist_graph_create)
JST_ENTRY_10_0(JST_F08_Dist_graph_create, jst_body_Dist_graph_create)
JST_ENTRY_10_0(JST_PF08_Dist_graph_create, jst_body_Dist_graph_create)
JST_ENTRY_10_0(JST_PF08_Dist_graph_create_r, jst_body_Dist_graph_create)

static void jst_body_Dist_graph_create_adjacent(unsigned id, jst_mpi_call *call, void *comm_old,
                                                void *indegree, void *sources, void *sourceweights,
                                                void *outdegree, void *destinations, void
                                                *destweights, void *info, void *reorder, void
                                                *comm_dist_graph, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
             reorder, comm_dist_graph, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Dist_graph_create_adjacent", JST_MPI_COMM, 0);
    const bool counted = jst_host.enter(call);
    real(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
         reorder, comm_dist_graph, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F_Dist_graph_create_adjacent, jst_body_Dist_graph_create_adjacent)
JST_ENTRY_11_0(JST_PF_Dist_graph_create_adjacent, jst_body_Dist_graph_create_adjacent)
JST_ENTRY_11_0(JST_F08_Dist_graph_create_adjacent, jst_body_Dist_graph_create_adjacent)
JST_ENTRY_11_0(JST_PF08_Dist_graph_create_adjacent, jst_body_Dist_graph_create_adjacent)
JST_ENTRY_11_0(JST_PF08_Dist_graph_create_adjacent_r, jst_body_Dist_graph_create_adjacent)

static void jst_body_Comm_free(unsigned id, jst_mpi_call *call, void *comm, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_free", JST_MPI_COMM, 0);
    if (comm) {
        jst_drop_comm(jst_c_comm(*(const MPI_Fint *)comm));
    }
    const bool counted = jst_host.enter(call);
    real(comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Comm_free, jst_body_Comm_free)
JST_ENTRY_2_0(JST_PF_Comm_free, jst_body_Comm_free)
JST_ENTRY_2_0(JST_F08_Comm_free, jst_body_Comm_free)
JST_ENTRY_2_0(JST_PF08_Comm_free, jst_body_Comm_free)
JST_ENTRY_2_0(JST_PF08_Comm_free_r, jst_body_Comm_free)

static void jst_body_Comm_spawn(unsigned id, jst_mpi_call *call, void *command, void *argv, void
                                *maxprocs, void *info, void *root, void *comm, void *intercomm, void
                                *array_of_errcodes, void *ierror, size_t length0, size_t length1)
{
    jst_sub_9_2 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes, ierror,
             length0, length1);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_spawn", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes, ierror, length0,
         length1);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_9_2(JST_F_Comm_spawn, jst_body_Comm_spawn)
JST_ENTRY_9_2(JST_PF_Comm_spawn, jst_body_Comm_spawn)
JST_ENTRY_9_2(JST_F08_Comm_spawn, jst_body_Comm_spawn)
JST_ENTRY_9_2(JST_PF08_Comm_spawn, jst_body_Comm_spawn)
JST_ENTRY_9_2(JST_PF08_Comm_spawn_r, jst_body_Comm_spawn)

static void jst_body_Comm_spawn_multiple(unsigned id, jst_mpi_call *call, void *count, void
                                         *array_of_commands, void *array_of_argv, void
                                         *array_of_maxprocs, void *array_of_info, void *root, void
                                         *comm, void *intercomm, void *array_of_errcodes, void
                                         *ierror, size_t length0, size_t length1)
{
    jst_sub_10_2 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
             intercomm, array_of_errcodes, ierror, length0, length1);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_spawn_multiple", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
         intercomm, array_of_errcodes, ierror, length0, length1);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_10_2(JST_F_Comm_spawn_multiple, jst_body_Comm_spawn_multiple)
JST_ENTRY_10_2(JST_PF_Comm_spawn_multiple, jst_body_Comm_spawn_multiple)
JST_ENTRY_10_2(JST_F08_Comm_spawn_multiple, jst_body_Comm_spawn_multiple)
JST_ENTRY_10_2(JST_PF08_Comm_spawn_multiple, jst_body_Comm_spawn_multiple)
JST_ENTRY_10_2(JST_PF08_Comm_spawn_multiple_r, jst_body_Comm_spawn_multiple)

static void jst_body_Comm_accept(unsigned id, jst_mpi_call *call, void *port_name, void *info, void
                                 *root, void *comm, void *newcomm, void *ierror, size_t length0)
{
    jst_sub_6_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(port_name, info, root, comm, newcomm, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_accept", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(port_name, info, root, comm, newcomm, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_1(JST_F_Comm_accept, jst_body_Comm_accept)
JST_ENTRY_6_1(JST_PF_Comm_accept, jst_body_Comm_accept)
JST_ENTRY_6_1(JST_F08_Comm_accept, jst_body_Comm_accept)
JST_ENTRY_6_1(JST_PF08_Comm_accept, jst_body_Comm_accept)
JST_ENTRY_6_1(JST_PF08_Comm_accept_r, jst_body_Comm_accept)

static void jst_body_Comm_connect(unsigned id, jst_mpi_call *call, void *port_name, void *info, void
                                  *root, void *comm, void *newcomm, void *ierror, size_t length0)
{
    jst_sub_6_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(port_name, info, root, comm, newcomm, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_connect", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(port_name, info, root, comm, newcomm, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_1(JST_F_Comm_connect, jst_body_Comm_connect)
JST_ENTRY_6_1(JST_PF_Comm_connect, jst_body_Comm_connect)
JST_ENTRY_6_1(JST_F08_Comm_connect, jst_body_Comm_connect)
JST_ENTRY_6_1(JST_PF08_Comm_connect, jst_body_Comm_connect)
JST_ENTRY_6_1(JST_PF08_Comm_connect_r, jst_body_Comm_connect)

static void jst_body_Comm_join(unsigned id, jst_mpi_call *call, void *fd, void *intercomm, void
                               *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fd, intercomm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_join", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(fd, intercomm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Comm_join, jst_body_Comm_join)
JST_ENTRY_3_0(JST_PF_Comm_join, jst_body_Comm_join)
JST_ENTRY_3_0(JST_F08_Comm_join, jst_body_Comm_join)
JST_ENTRY_3_0(JST_PF08_Comm_join, jst_body_Comm_join)
JST_ENTRY_3_0(JST_PF08_Comm_join_r, jst_body_Comm_join)

static void jst_body_Open_port(unsigned id, jst_mpi_call *call, void *info, void *port_name, void
                               *ierror, size_t length0)
{
    jst_sub_3_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(info, port_name, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Open_port", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(info, port_name, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_1(JST_F_Open_port, jst_body_Open_port)
JST_ENTRY_3_1(JST_PF_Open_port, jst_body_Open_port)
JST_ENTRY_3_1(JST_F08_Open_port, jst_body_Open_port)
JST_ENTRY_3_1(JST_PF08_Open_port, jst_body_Open_port)
JST_ENTRY_3_1(JST_PF08_Open_port_r, jst_body_Open_port)

static void jst_body_Close_port(unsigned id, jst_mpi_call *call, void *port_name, void *ierror,
                                size_t length0)
{
    jst_sub_2_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(port_name, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Close_port", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(port_name, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_1(JST_F_Close_port, jst_body_Close_port)
JST_ENTRY_2_1(JST_PF_Close_port, jst_body_Close_port)
JST_ENTRY_2_1(JST_F08_Close_port, jst_body_Close_port)
JST_ENTRY_2_1(JST_PF08_Close_port, jst_body_Close_port)
JST_ENTRY_2_1(JST_PF08_Close_port_r, jst_body_Close_port)

static void jst_body_Publish_name(unsigned id, jst_mpi_call *call, void *service_name, void *info,
                                  void *port_name, void *ierror, size_t length0, size_t length1)
{
    jst_sub_4_2 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(service_name, info, port_name, ierror, length0, length1);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Publish_name", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(service_name, info, port_name, ierror, length0, length1);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_2(JST_F_Publish_name, jst_body_Publish_name)
JST_ENTRY_4_2(JST_PF_Publish_name, jst_body_Publish_name)
JST_ENTRY_4_2(JST_F08_Publish_name, jst_body_Publish_name)
JST_ENTRY_4_2(JST_PF08_Publish_name, jst_body_Publish_name)
JST_ENTRY_4_2(JST_PF08_Publish_name_r, jst_body_Publish_name)

static void jst_body_Unpublish_name(unsigned id, jst_mpi_call *call, void *service_name, void *info,
                                    void *port_name, void *ierror, size_t length0, size_t length1)
{
    jst_sub_4_2 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(service_name, info, port_name, ierror, length0, length1);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Unpublish_name", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(service_name, info, port_name, ierror, length0, length1);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_2(JST_F_Unpublish_name, jst_body_Unpublish_name)
JST_ENTRY_4_2(JST_PF_Unpublish_name, jst_body_Unpublish_name)
JST_ENTRY_4_2(JST_F08_Unpublish_name, jst_body_Unpublish_name)
JST_ENTRY_4_2(JST_PF08_Unpublish_name, jst_body_Unpublish_name)
JST_ENTRY_4_2(JST_PF08_Unpublish_name_r, jst_body_Unpublish_name)

static void jst_body_Lookup_name(unsigned id, jst_mpi_call *call, void *service_name, void *info,
                                 void *port_name, void *ierror, size_t length0, size_t length1)
{
    jst_sub_4_2 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(service_name, info, port_name, ierror, length0, length1);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Lookup_name", JST_MPI_SPAWN, 0);
    const bool counted = jst_host.enter(call);
    real(service_name, info, port_name, ierror, length0, length1);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_2(JST_F_Lookup_name, jst_body_Lookup_name)
JST_ENTRY_4_2(JST_PF_Lookup_name, jst_body_Lookup_name)
JST_ENTRY_4_2(JST_F08_Lookup_name, jst_body_Lookup_name)
JST_ENTRY_4_2(JST_PF08_Lookup_name, jst_body_Lookup_name)
JST_ENTRY_4_2(JST_PF08_Lookup_name_r, jst_body_Lookup_name)

static void jst_body_Comm_disconnect(unsigned id, jst_mpi_call *call, void *comm, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Comm_disconnect", JST_MPI_SPAWN, 0);
    if (comm) {
        jst_drop_comm(jst_c_comm(*(const MPI_Fint *)comm));
    }
    const bool counted = jst_host.enter(call);
    real(comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Comm_disconnect, jst_body_Comm_disconnect)
JST_ENTRY_2_0(JST_PF_Comm_disconnect, jst_body_Comm_disconnect)
JST_ENTRY_2_0(JST_F08_Comm_disconnect, jst_body_Comm_disconnect)
JST_ENTRY_2_0(JST_PF08_Comm_disconnect, jst_body_Comm_disconnect)
JST_ENTRY_2_0(JST_PF08_Comm_disconnect_r, jst_body_Comm_disconnect)

static void jst_body_Init(unsigned id, jst_mpi_call *call, void *ierror)
{
    jst_sub_1_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Init", JST_MPI_INIT, 0);
    const bool counted = jst_host.enter(call);
    if (counted) {
        jst_before_init(false);
    }
    real(ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            jst_after_init();
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_1_0(JST_F_Init, jst_body_Init)
JST_ENTRY_1_0(JST_PF_Init, jst_body_Init)
JST_ENTRY_1_0(JST_F08_Init, jst_body_Init)
JST_ENTRY_1_0(JST_PF08_Init, jst_body_Init)
JST_ENTRY_1_0(JST_PF08_Init_r, jst_body_Init)

static void jst_body_Init_thread(unsigned id, jst_mpi_call *call, void *required, void *provided,
                                 void *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(required, provided, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Init_thread", JST_MPI_INIT, 0);
    const bool counted = jst_host.enter(call);
    if (counted) {
        jst_before_init(false);
    }
    real(required, provided, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            jst_after_init();
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Init_thread, jst_body_Init_thread)
JST_ENTRY_3_0(JST_PF_Init_thread, jst_body_Init_thread)
JST_ENTRY_3_0(JST_F08_Init_thread, jst_body_Init_thread)
JST_ENTRY_3_0(JST_PF08_Init_thread, jst_body_Init_thread)
JST_ENTRY_3_0(JST_PF08_Init_thread_r, jst_body_Init_thread)

static void jst_body_Session_init(unsigned id, jst_mpi_call *call, void *info, void *errhandler,
                                  void *session, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(info, errhandler, session, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Session_init", JST_MPI_INIT, 0);
    const bool counted = jst_host.enter(call);
    if (counted) {
        jst_before_init(true);
    }
    real(info, errhandler, session, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            jst_after_session(session, true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Session_init, jst_body_Session_init)
JST_ENTRY_4_0(JST_PF_Session_init, jst_body_Session_init)
JST_ENTRY_4_0(JST_F08_Session_init, jst_body_Session_init)
JST_ENTRY_4_0(JST_PF08_Session_init, jst_body_Session_init)
JST_ENTRY_4_0(JST_PF08_Session_init_r, jst_body_Session_init)

static void jst_body_Finalize(unsigned id, jst_mpi_call *call, void *ierror)
{
    jst_sub_1_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Finalize", JST_MPI_FINALIZE, 0);
    const bool counted = jst_host.enter(call);
    if (counted) {
        jst_before_finalize(false);
    }
    real(ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_after_finalize();
        jst_leave(call, r);
    }
}
JST_ENTRY_1_0(JST_F_Finalize, jst_body_Finalize)
JST_ENTRY_1_0(JST_PF_Finalize, jst_body_Finalize)
JST_ENTRY_1_0(JST_F08_Finalize, jst_body_Finalize)
JST_ENTRY_1_0(JST_PF08_Finalize, jst_body_Finalize)
JST_ENTRY_1_0(JST_PF08_Finalize_r, jst_body_Finalize)

static void jst_body_Session_finalize(unsigned id, jst_mpi_call *call, void *session, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(session, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Session_finalize", JST_MPI_FINALIZE, 0);
    const bool counted = jst_host.enter(call);
    if (counted) {
        jst_before_finalize(true);
    }
    real(session, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_after_finalize();
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Session_finalize, jst_body_Session_finalize)
JST_ENTRY_2_0(JST_PF_Session_finalize, jst_body_Session_finalize)
JST_ENTRY_2_0(JST_F08_Session_finalize, jst_body_Session_finalize)
JST_ENTRY_2_0(JST_PF08_Session_finalize, jst_body_Session_finalize)
JST_ENTRY_2_0(JST_PF08_Session_finalize_r, jst_body_Session_finalize)

static void jst_body_Abort(unsigned id, jst_mpi_call *call, void *comm, void *errorcode, void
                           *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, errorcode, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Abort", JST_MPI_ABORT, 0);
    const bool counted = jst_host.enter(call);
    if (counted) {
        jst_host.count(call, JST_MPI_ABORT, 0, JST_MPI_NO_PEER);
    }
    real(comm, errorcode, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Abort, jst_body_Abort)
JST_ENTRY_3_0(JST_PF_Abort, jst_body_Abort)
JST_ENTRY_3_0(JST_F08_Abort, jst_body_Abort)
JST_ENTRY_3_0(JST_PF08_Abort, jst_body_Abort)
JST_ENTRY_3_0(JST_PF08_Abort_r, jst_body_Abort)

static void jst_body_Type_free(unsigned id, jst_mpi_call *call, void *datatype, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    (void)call;
    jst_drop_type(jst_c_type(*(const MPI_Fint *)datatype));
    real(datatype, ierror);
}
JST_ENTRY_2_0(JST_F_Type_free, jst_body_Type_free)
JST_ENTRY_2_0(JST_PF_Type_free, jst_body_Type_free)
JST_ENTRY_2_0(JST_F08_Type_free, jst_body_Type_free)
JST_ENTRY_2_0(JST_PF08_Type_free, jst_body_Type_free)
JST_ENTRY_2_0(JST_PF08_Type_free_r, jst_body_Type_free)

const jst_function jst_functions_f_other[] = {
    {JST_F_Comm_dup, (void *)JST_F_Comm_dup_entry},
    {JST_PF_Comm_dup, (void *)JST_PF_Comm_dup_entry},
    {JST_F08_Comm_dup, (void *)JST_F08_Comm_dup_entry},
    {JST_PF08_Comm_dup, (void *)JST_PF08_Comm_dup_entry},
    {JST_PF08_Comm_dup_r, (void *)JST_PF08_Comm_dup_r_entry},
    {JST_F_Comm_dup_with_info, (void *)JST_F_Comm_dup_with_info_entry},
    {JST_PF_Comm_dup_with_info, (void *)JST_PF_Comm_dup_with_info_entry},
    {JST_F08_Comm_dup_with_info, (void *)JST_F08_Comm_dup_with_info_entry},
    {JST_PF08_Comm_dup_with_info, (void *)JST_PF08_Comm_dup_with_info_entry},
    {JST_PF08_Comm_dup_with_info_r, (void *)JST_PF08_Comm_dup_with_info_r_entry},
    {JST_F_Comm_idup, (void *)JST_F_Comm_idup_entry},
    {JST_PF_Comm_idup, (void *)JST_PF_Comm_idup_entry},
    {JST_F08_Comm_idup, (void *)JST_F08_Comm_idup_entry},
    {JST_PF08_Comm_idup, (void *)JST_PF08_Comm_idup_entry},
    {JST_PF08_Comm_idup_r, (void *)JST_PF08_Comm_idup_r_entry},
    {JST_F_Comm_idup_with_info, (void *)JST_F_Comm_idup_with_info_entry},
    {JST_PF_Comm_idup_with_info, (void *)JST_PF_Comm_idup_with_info_entry},
    {JST_F08_Comm_idup_with_info, (void *)JST_F08_Comm_idup_with_info_entry},
    {JST_PF08_Comm_idup_with_info, (void *)JST_PF08_Comm_idup_with_info_entry},
    {JST_PF08_Comm_idup_with_info_r, (void *)JST_PF08_Comm_idup_with_info_r_entry},
    {JST_F_Comm_create, (void *)JST_F_Comm_create_entry},
    {JST_PF_Comm_create, (void *)JST_PF_Comm_create_entry},
    {JST_F08_Comm_create, (void *)JST_F08_Comm_create_entry},
    {JST_PF08_Comm_create, (void *)JST_PF08_Comm_create_entry},
    {JST_PF08_Comm_create_r, (void *)JST_PF08_Comm_create_r_entry},
    {JST_F_Comm_create_group, (void *)JST_F_Comm_create_group_entry},
    {JST_PF_Comm_create_group, (void *)JST_PF_Comm_create_group_entry},
    {JST_F08_Comm_create_group, (void *)JST_F08_Comm_create_group_entry},
    {JST_PF08_Comm_create_group, (void *)JST_PF08_Comm_create_group_entry},
    {JST_PF08_Comm_create_group_r, (void *)JST_PF08_Comm_create_group_r_entry},
    {JST_F_Comm_create_from_group, (void *)JST_F_Comm_create_from_group_entry},
    {JST_PF_Comm_create_from_group, (void *)JST_PF_Comm_create_from_group_entry},
    {JST_F08_Comm_create_from_group, (void *)JST_F08_Comm_create_from_group_entry},
    {JST_PF08_Comm_create_from_group, (void *)JST_PF08_Comm_create_from_group_entry},
    {JST_PF08_Comm_create_from_group_r, (void *)JST_PF08_Comm_create_from_group_r_entry},
    {JST_F_Comm_split, (void *)JST_F_Comm_split_entry},
    {JST_PF_Comm_split, (void *)JST_PF_Comm_split_entry},
    {JST_F08_Comm_split, (void *)JST_F08_Comm_split_entry},
    {JST_PF08_Comm_split, (void *)JST_PF08_Comm_split_entry},
    {JST_PF08_Comm_split_r, (void *)JST_PF08_Comm_split_r_entry},
    {JST_F_Comm_split_type, (void *)JST_F_Comm_split_type_entry},
    {JST_PF_Comm_split_type, (void *)JST_PF_Comm_split_type_entry},
    {JST_F08_Comm_split_type, (void *)JST_F08_Comm_split_type_entry},
    {JST_PF08_Comm_split_type, (void *)JST_PF08_Comm_split_type_entry},
    {JST_PF08_Comm_split_type_r, (void *)JST_PF08_Comm_split_type_r_entry},
    {JST_F_Intercomm_create, (void *)JST_F_Intercomm_create_entry},
    {JST_PF_Intercomm_create, (void *)JST_PF_Intercomm_create_entry},
    {JST_F08_Intercomm_create, (void *)JST_F08_Intercomm_create_entry},
    {JST_PF08_Intercomm_create, (void *)JST_PF08_Intercomm_create_entry},
    {JST_PF08_Intercomm_create_r, (void *)JST_PF08_Intercomm_create_r_entry},
    {JST_F_Intercomm_create_from_groups, (void *)JST_F_Intercomm_create_from_groups_entry},
    {JST_PF_Intercomm_create_from_groups, (void *)JST_PF_Intercomm_create_from_groups_entry},
    {JST_F08_Intercomm_create_from_groups, (void *)JST_F08_Intercomm_create_from_groups_entry},
    {JST_PF08_Intercomm_create_from_groups, (void *)JST_PF08_Intercomm_create_from_groups_entry},
    {JST_PF08_Intercomm_create_from_groups_r, (void *)JST_PF08_Intercomm_create_from_groups_r_entry},
    {JST_F_Intercomm_merge, (void *)JST_F_Intercomm_merge_entry},
    {JST_PF_Intercomm_merge, (void *)JST_PF_Intercomm_merge_entry},
    {JST_F08_Intercomm_merge, (void *)JST_F08_Intercomm_merge_entry},
    {JST_PF08_Intercomm_merge, (void *)JST_PF08_Intercomm_merge_entry},
    {JST_PF08_Intercomm_merge_r, (void *)JST_PF08_Intercomm_merge_r_entry},
    {JST_F_Cart_create, (void *)JST_F_Cart_create_entry},
    {JST_PF_Cart_create, (void *)JST_PF_Cart_create_entry},
    {JST_F08_Cart_create, (void *)JST_F08_Cart_create_entry},
    {JST_PF08_Cart_create, (void *)JST_PF08_Cart_create_entry},
    {JST_PF08_Cart_create_r, (void *)JST_PF08_Cart_create_r_entry},
    {JST_F_Cart_sub, (void *)JST_F_Cart_sub_entry},
    {JST_PF_Cart_sub, (void *)JST_PF_Cart_sub_entry},
    {JST_F08_Cart_sub, (void *)JST_F08_Cart_sub_entry},
    {JST_PF08_Cart_sub, (void *)JST_PF08_Cart_sub_entry},
    {JST_PF08_Cart_sub_r, (void *)JST_PF08_Cart_sub_r_entry},
    {JST_F_Graph_create, (void *)JST_F_Graph_create_entry},
    {JST_PF_Graph_create, (void *)JST_PF_Graph_create_entry},
    {JST_F08_Graph_create, (void *)JST_F08_Graph_create_entry},
    {JST_PF08_Graph_create, (void *)JST_PF08_Graph_create_entry},
    {JST_PF08_Graph_create_r, (void *)JST_PF08_Graph_create_r_entry},
    {JST_F_Dist_graph_create, (void *)JST_F_Dist_graph_create_entry},
    {JST_PF_Dist_graph_create, (void *)JST_PF_Dist_graph_create_entry},
    {JST_F08_Dist_graph_create, (void *)JST_F08_Dist_graph_create_entry},
    {JST_PF08_Dist_graph_create, (void *)JST_PF08_Dist_graph_create_entry},
    {JST_PF08_Dist_graph_create_r, (void *)JST_PF08_Dist_graph_create_r_entry},
    {JST_F_Dist_graph_create_adjacent, (void *)JST_F_Dist_graph_create_adjacent_entry},
    {JST_PF_Dist_graph_create_adjacent, (void *)JST_PF_Dist_graph_create_adjacent_entry},
    {JST_F08_Dist_graph_create_adjacent, (void *)JST_F08_Dist_graph_create_adjacent_entry},
    {JST_PF08_Dist_graph_create_adjacent, (void *)JST_PF08_Dist_graph_create_adjacent_entry},
    {JST_PF08_Dist_graph_create_adjacent_r, (void *)JST_PF08_Dist_graph_create_adjacent_r_entry},
    {JST_F_Comm_free, (void *)JST_F_Comm_free_entry},
    {JST_PF_Comm_free, (void *)JST_PF_Comm_free_entry},
    {JST_F08_Comm_free, (void *)JST_F08_Comm_free_entry},
    {JST_PF08_Comm_free, (void *)JST_PF08_Comm_free_entry},
    {JST_PF08_Comm_free_r, (void *)JST_PF08_Comm_free_r_entry},
    {JST_F_Comm_spawn, (void *)JST_F_Comm_spawn_entry},
    {JST_PF_Comm_spawn, (void *)JST_PF_Comm_spawn_entry},
    {JST_F08_Comm_spawn, (void *)JST_F08_Comm_spawn_entry},
    {JST_PF08_Comm_spawn, (void *)JST_PF08_Comm_spawn_entry},
    {JST_PF08_Comm_spawn_r, (void *)JST_PF08_Comm_spawn_r_entry},
    {JST_F_Comm_spawn_multiple, (void *)JST_F_Comm_spawn_multiple_entry},
    {JST_PF_Comm_spawn_multiple, (void *)JST_PF_Comm_spawn_multiple_entry},
    {JST_F08_Comm_spawn_multiple, (void *)JST_F08_Comm_spawn_multiple_entry},
    {JST_PF08_Comm_spawn_multiple, (void *)JST_PF08_Comm_spawn_multiple_entry},
    {JST_PF08_Comm_spawn_multiple_r, (void *)JST_PF08_Comm_spawn_multiple_r_entry},
    {JST_F_Comm_accept, (void *)JST_F_Comm_accept_entry},
    {JST_PF_Comm_accept, (void *)JST_PF_Comm_accept_entry},
    {JST_F08_Comm_accept, (void *)JST_F08_Comm_accept_entry},
    {JST_PF08_Comm_accept, (void *)JST_PF08_Comm_accept_entry},
    {JST_PF08_Comm_accept_r, (void *)JST_PF08_Comm_accept_r_entry},
    {JST_F_Comm_connect, (void *)JST_F_Comm_connect_entry},
    {JST_PF_Comm_connect, (void *)JST_PF_Comm_connect_entry},
    {JST_F08_Comm_connect, (void *)JST_F08_Comm_connect_entry},
    {JST_PF08_Comm_connect, (void *)JST_PF08_Comm_connect_entry},
    {JST_PF08_Comm_connect_r, (void *)JST_PF08_Comm_connect_r_entry},
    {JST_F_Comm_join, (void *)JST_F_Comm_join_entry},
    {JST_PF_Comm_join, (void *)JST_PF_Comm_join_entry},
    {JST_F08_Comm_join, (void *)JST_F08_Comm_join_entry},
    {JST_PF08_Comm_join, (void *)JST_PF08_Comm_join_entry},
    {JST_PF08_Comm_join_r, (void *)JST_PF08_Comm_join_r_entry},
    {JST_F_Open_port, (void *)JST_F_Open_port_entry},
    {JST_PF_Open_port, (void *)JST_PF_Open_port_entry},
    {JST_F08_Open_port, (void *)JST_F08_Open_port_entry},
    {JST_PF08_Open_port, (void *)JST_PF08_Open_port_entry},
    {JST_PF08_Open_port_r, (void *)JST_PF08_Open_port_r_entry},
    {JST_F_Close_port, (void *)JST_F_Close_port_entry},
    {JST_PF_Close_port, (void *)JST_PF_Close_port_entry},
    {JST_F08_Close_port, (void *)JST_F08_Close_port_entry},
    {JST_PF08_Close_port, (void *)JST_PF08_Close_port_entry},
    {JST_PF08_Close_port_r, (void *)JST_PF08_Close_port_r_entry},
    {JST_F_Publish_name, (void *)JST_F_Publish_name_entry},
    {JST_PF_Publish_name, (void *)JST_PF_Publish_name_entry},
    {JST_F08_Publish_name, (void *)JST_F08_Publish_name_entry},
    {JST_PF08_Publish_name, (void *)JST_PF08_Publish_name_entry},
    {JST_PF08_Publish_name_r, (void *)JST_PF08_Publish_name_r_entry},
    {JST_F_Unpublish_name, (void *)JST_F_Unpublish_name_entry},
    {JST_PF_Unpublish_name, (void *)JST_PF_Unpublish_name_entry},
    {JST_F08_Unpublish_name, (void *)JST_F08_Unpublish_name_entry},
    {JST_PF08_Unpublish_name, (void *)JST_PF08_Unpublish_name_entry},
    {JST_PF08_Unpublish_name_r, (void *)JST_PF08_Unpublish_name_r_entry},
    {JST_F_Lookup_name, (void *)JST_F_Lookup_name_entry},
    {JST_PF_Lookup_name, (void *)JST_PF_Lookup_name_entry},
    {JST_F08_Lookup_name, (void *)JST_F08_Lookup_name_entry},
    {JST_PF08_Lookup_name, (void *)JST_PF08_Lookup_name_entry},
    {JST_PF08_Lookup_name_r, (void *)JST_PF08_Lookup_name_r_entry},
    {JST_F_Comm_disconnect, (void *)JST_F_Comm_disconnect_entry},
    {JST_PF_Comm_disconnect, (void *)JST_PF_Comm_disconnect_entry},
    {JST_F08_Comm_disconnect, (void *)JST_F08_Comm_disconnect_entry},
    {JST_PF08_Comm_disconnect, (void *)JST_PF08_Comm_disconnect_entry},
    {JST_PF08_Comm_disconnect_r, (void *)JST_PF08_Comm_disconnect_r_entry},
    {JST_F_Init, (void *)JST_F_Init_entry},
    {JST_PF_Init, (void *)JST_PF_Init_entry},
    {JST_F08_Init, (void *)JST_F08_Init_entry},
    {JST_PF08_Init, (void *)JST_PF08_Init_entry},
    {JST_PF08_Init_r, (void *)JST_PF08_Init_r_entry},
    {JST_F_Init_thread, (void *)JST_F_Init_thread_entry},
    {JST_PF_Init_thread, (void *)JST_PF_Init_thread_entry},
    {JST_F08_Init_thread, (void *)JST_F08_Init_thread_entry},
    {JST_PF08_Init_thread, (void *)JST_PF08_Init_thread_entry},
    {JST_PF08_Init_thread_r, (void *)JST_PF08_Init_thread_r_entry},
    {JST_F_Session_init, (void *)JST_F_Session_init_entry},
    {JST_PF_Session_init, (void *)JST_PF_Session_init_entry},
    {JST_F08_Session_init, (void *)JST_F08_Session_init_entry},
    {JST_PF08_Session_init, (void *)JST_PF08_Session_init_entry},
    {JST_PF08_Session_init_r, (void *)JST_PF08_Session_init_r_entry},
    {JST_F_Finalize, (void *)JST_F_Finalize_entry},
    {JST_PF_Finalize, (void *)JST_PF_Finalize_entry},
    {JST_F08_Finalize, (void *)JST_F08_Finalize_entry},
    {JST_PF08_Finalize, (void *)JST_PF08_Finalize_entry},
    {JST_PF08_Finalize_r, (void *)JST_PF08_Finalize_r_entry},
    {JST_F_Session_finalize, (void *)JST_F_Session_finalize_entry},
    {JST_PF_Session_finalize, (void *)JST_PF_Session_finalize_entry},
    {JST_F08_Session_finalize, (void *)JST_F08_Session_finalize_entry},
    {JST_PF08_Session_finalize, (void *)JST_PF08_Session_finalize_entry},
    {JST_PF08_Session_finalize_r, (void *)JST_PF08_Session_finalize_r_entry},
    {JST_F_Abort, (void *)JST_F_Abort_entry},
    {JST_PF_Abort, (void *)JST_PF_Abort_entry},
    {JST_F08_Abort, (void *)JST_F08_Abort_entry},
    {JST_PF08_Abort, (void *)JST_PF08_Abort_entry},
    {JST_PF08_Abort_r, (void *)JST_PF08_Abort_r_entry},
    {JST_F_Type_free, (void *)JST_F_Type_free_entry},
    {JST_PF_Type_free, (void *)JST_PF_Type_free_entry},
    {JST_F08_Type_free, (void *)JST_F08_Type_free_entry},
    {JST_PF08_Type_free, (void *)JST_PF08_Type_free_entry},
    {JST_PF08_Type_free_r, (void *)JST_PF08_Type_free_r_entry},
};
const size_t jst_count_f_other = 180;
