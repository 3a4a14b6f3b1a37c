/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

#define JST_W(name) jst_c_##name
#define JST_REAL(name) jst_real_of(JST_C_##name)
#include "c_other.inc"
#undef JST_W
#undef JST_REAL

#define JST_W(name) jst_pc_##name
#define JST_REAL(name) jst_real_of(JST_PC_##name)
#include "c_other.inc"
#undef JST_W
#undef JST_REAL

const jst_function jst_functions_c_other[] = {
    {JST_C_Comm_dup, (void *)jst_c_Comm_dup},
    {JST_C_Comm_dup_with_info, (void *)jst_c_Comm_dup_with_info},
    {JST_C_Comm_idup, (void *)jst_c_Comm_idup},
    {JST_C_Comm_idup_with_info, (void *)jst_c_Comm_idup_with_info},
    {JST_C_Comm_create, (void *)jst_c_Comm_create},
    {JST_C_Comm_create_group, (void *)jst_c_Comm_create_group},
    {JST_C_Comm_create_from_group, (void *)jst_c_Comm_create_from_group},
    {JST_C_Comm_split, (void *)jst_c_Comm_split},
    {JST_C_Comm_split_type, (void *)jst_c_Comm_split_type},
    {JST_C_Intercomm_create, (void *)jst_c_Intercomm_create},
    {JST_C_Intercomm_create_from_groups, (void *)jst_c_Intercomm_create_from_groups},
    {JST_C_Intercomm_merge, (void *)jst_c_Intercomm_merge},
    {JST_C_Cart_create, (void *)jst_c_Cart_create},
    {JST_C_Cart_sub, (void *)jst_c_Cart_sub},
    {JST_C_Graph_create, (void *)jst_c_Graph_create},
    {JST_C_Dist_graph_create, (void *)jst_c_Dist_graph_create},
    {JST_C_Dist_graph_create_adjacent, (void *)jst_c_Dist_graph_create_adjacent},
    {JST_C_Comm_free, (void *)jst_c_Comm_free},
    {JST_C_Comm_spawn, (void *)jst_c_Comm_spawn},
    {JST_C_Comm_spawn_multiple, (void *)jst_c_Comm_spawn_multiple},
    {JST_C_Comm_accept, (void *)jst_c_Comm_accept},
    {JST_C_Comm_connect, (void *)jst_c_Comm_connect},
    {JST_C_Comm_join, (void *)jst_c_Comm_join},
    {JST_C_Open_port, (void *)jst_c_Open_port},
    {JST_C_Close_port, (void *)jst_c_Close_port},
    {JST_C_Publish_name, (void *)jst_c_Publish_name},
    {JST_C_Unpublish_name, (void *)jst_c_Unpublish_name},
    {JST_C_Lookup_name, (void *)jst_c_Lookup_name},
    {JST_C_Comm_disconnect, (void *)jst_c_Comm_disconnect},
    {JST_C_Init, (void *)jst_c_Init},
    {JST_C_Init_thread, (void *)jst_c_Init_thread},
    {JST_C_Session_init, (void *)jst_c_Session_init},
    {JST_C_Finalize, (void *)jst_c_Finalize},
    {JST_C_Session_finalize, (void *)jst_c_Session_finalize},
    {JST_C_Abort, (void *)jst_c_Abort},
    {JST_C_Type_free, (void *)jst_c_Type_free},
    {JST_PC_Comm_dup, (void *)jst_pc_Comm_dup},
    {JST_PC_Comm_dup_with_info, (void *)jst_pc_Comm_dup_with_info},
    {JST_PC_Comm_idup, (void *)jst_pc_Comm_idup},
    {JST_PC_Comm_idup_with_info, (void *)jst_pc_Comm_idup_with_info},
    {JST_PC_Comm_create, (void *)jst_pc_Comm_create},
    {JST_PC_Comm_create_group, (void *)jst_pc_Comm_create_group},
    {JST_PC_Comm_create_from_group, (void *)jst_pc_Comm_create_from_group},
    {JST_PC_Comm_split, (void *)jst_pc_Comm_split},
    {JST_PC_Comm_split_type, (void *)jst_pc_Comm_split_type},
    {JST_PC_Intercomm_create, (void *)jst_pc_Intercomm_create},
    {JST_PC_Intercomm_create_from_groups, (void *)jst_pc_Intercomm_create_from_groups},
    {JST_PC_Intercomm_merge, (void *)jst_pc_Intercomm_merge},
    {JST_PC_Cart_create, (void *)jst_pc_Cart_create},
    {JST_PC_Cart_sub, (void *)jst_pc_Cart_sub},
    {JST_PC_Graph_create, (void *)jst_pc_Graph_create},
    {JST_PC_Dist_graph_create, (void *)jst_pc_Dist_graph_create},
    {JST_PC_Dist_graph_create_adjacent, (void *)jst_pc_Dist_graph_create_adjacent},
    {JST_PC_Comm_free, (void *)jst_pc_Comm_free},
    {JST_PC_Comm_spawn, (void *)jst_pc_Comm_spawn},
    {JST_PC_Comm_spawn_multiple, (void *)jst_pc_Comm_spawn_multiple},
    {JST_PC_Comm_accept, (void *)jst_pc_Comm_accept},
    {JST_PC_Comm_connect, (void *)jst_pc_Comm_connect},
    {JST_PC_Comm_join, (void *)jst_pc_Comm_join},
    {JST_PC_Open_port, (void *)jst_pc_Open_port},
    {JST_PC_Close_port, (void *)jst_pc_Close_port},
    {JST_PC_Publish_name, (void *)jst_pc_Publish_name},
    {JST_PC_Unpublish_name, (void *)jst_pc_Unpublish_name},
    {JST_PC_Lookup_name, (void *)jst_pc_Lookup_name},
    {JST_PC_Comm_disconnect, (void *)jst_pc_Comm_disconnect},
    {JST_PC_Init, (void *)jst_pc_Init},
    {JST_PC_Init_thread, (void *)jst_pc_Init_thread},
    {JST_PC_Session_init, (void *)jst_pc_Session_init},
    {JST_PC_Finalize, (void *)jst_pc_Finalize},
    {JST_PC_Session_finalize, (void *)jst_pc_Session_finalize},
    {JST_PC_Abort, (void *)jst_pc_Abort},
    {JST_PC_Type_free, (void *)jst_pc_Type_free},
};
const size_t jst_count_c_other = 72;
