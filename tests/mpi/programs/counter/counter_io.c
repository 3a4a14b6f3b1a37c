/* The independent counter: MPI-IO, communicators, process management. */
#include "counter.h"

/* clang-format off */
typedef const void *in_t;
typedef MPI_Datatype T;
typedef MPI_Comm C;
typedef MPI_Request *R;
typedef MPI_Status *S;
typedef MPI_File F;
typedef MPI_Offset O;
typedef MPI_Info I;
/* clang-format on */

#define PLAIN(name, buffer, klass)                                                                 \
    WRAP(name, (F f, buffer b, int n, T t, S s), (f, b, n, t, s), klass, sized(n, t))
#define PLACED(name, buffer, klass)                                                                \
    WRAP(name, (F f, O o, buffer b, int n, T t, S s), (f, o, b, n, t, s), klass, sized(n, t))
#define STARTED(name, buffer, klass)                                                               \
    WRAP(name, (F f, buffer b, int n, T t, R r), (f, b, n, t, r), klass, sized(n, t))
#define PLACED_STARTED(name, buffer, klass)                                                        \
    WRAP(name, (F f, O o, buffer b, int n, T t, R r), (f, o, b, n, t, r), klass, sized(n, t))
#define BEGUN(name, buffer, klass)                                                                 \
    WRAP(name, (F f, buffer b, int n, T t), (f, b, n, t), klass, sized(n, t))
#define PLACED_BEGUN(name, buffer, klass)                                                          \
    WRAP(name, (F f, O o, buffer b, int n, T t), (f, o, b, n, t), klass, sized(n, t))

PLAIN(MPI_File_write, in_t, mpiio_write);
PLACED(MPI_File_write_at, in_t, mpiio_write);
STARTED(MPI_File_iwrite, in_t, mpiio_write);
PLACED_STARTED(MPI_File_iwrite_at, in_t, mpiio_write);
PLAIN(MPI_File_read, void *, mpiio_read);
PLACED(MPI_File_read_at, void *, mpiio_read);
STARTED(MPI_File_iread, void *, mpiio_read);
PLACED_STARTED(MPI_File_iread_at, void *, mpiio_read);
PLAIN(MPI_File_write_all, in_t, mpiio_write_all);
PLACED(MPI_File_write_at_all, in_t, mpiio_write_all);
STARTED(MPI_File_iwrite_all, in_t, mpiio_write_all);
PLACED_STARTED(MPI_File_iwrite_at_all, in_t, mpiio_write_all);
PLAIN(MPI_File_read_all, void *, mpiio_read_all);
PLACED(MPI_File_read_at_all, void *, mpiio_read_all);
STARTED(MPI_File_iread_all, void *, mpiio_read_all);
PLACED_STARTED(MPI_File_iread_at_all, void *, mpiio_read_all);
PLAIN(MPI_File_write_shared, in_t, mpiio_write_shared);
STARTED(MPI_File_iwrite_shared, in_t, mpiio_write_shared);
PLAIN(MPI_File_write_ordered, in_t, mpiio_write_shared);
PLAIN(MPI_File_read_shared, void *, mpiio_read_shared);
STARTED(MPI_File_iread_shared, void *, mpiio_read_shared);
PLAIN(MPI_File_read_ordered, void *, mpiio_read_shared);
BEGUN(MPI_File_write_all_begin, in_t, mpiio_write_split);
PLACED_BEGUN(MPI_File_write_at_all_begin, in_t, mpiio_write_split);
BEGUN(MPI_File_write_ordered_begin, in_t, mpiio_write_split);
BEGUN(MPI_File_read_all_begin, void *, mpiio_read_split);
PLACED_BEGUN(MPI_File_read_at_all_begin, void *, mpiio_read_split);
BEGUN(MPI_File_read_ordered_begin, void *, mpiio_read_split);

WRAP(MPI_File_open, (C c, const char *name, int mode, I i, F *f), (c, name, mode, i, f), mpiio_open,
     0);
WRAP(MPI_File_close, (F * f), (f), mpiio_close, 0);
WRAP(MPI_File_sync, (F f), (f), mpiio_sync, 0);
WRAP(MPI_File_delete, (const char *name, I i), (name, i), mpiio_meta, 0);
WRAP(MPI_File_preallocate, (F f, O o), (f, o), mpiio_meta, 0);
WRAP(MPI_File_set_size, (F f, O o), (f, o), mpiio_meta, 0);
WRAP(MPI_File_get_size, (F f, O *o), (f, o), mpiio_meta, 0);
WRAP(MPI_File_set_view, (F f, O o, T t, T t2, const char *name, I i), (f, o, t, t2, name, i),
     mpiio_meta, 0);
WRAP(MPI_File_seek, (F f, O o, int from), (f, o, from), mpiio_meta, 0);
WRAP(MPI_File_seek_shared, (F f, O o, int from), (f, o, from), mpiio_meta, 0);
WRAP(MPI_File_set_info, (F f, I i), (f, i), mpiio_meta, 0);
WRAP(MPI_File_set_atomicity, (F f, int on), (f, on), mpiio_meta, 0);

#define MAKES(name, parameters, arguments) WRAP(name, parameters, arguments, mpi_comm, 0)
MAKES(MPI_Comm_dup, (C c, C *d), (c, d));
MAKES(MPI_Comm_dup_with_info, (C c, I i, C *d), (c, i, d));
MAKES(MPI_Comm_idup, (C c, C *d, R r), (c, d, r));
MAKES(MPI_Comm_split, (C c, int color, int key, C *d), (c, color, key, d));
MAKES(MPI_Comm_split_type, (C c, int type, int key, I i, C *d), (c, type, key, i, d));
MAKES(MPI_Comm_create, (C c, MPI_Group g, C *d), (c, g, d));
MAKES(MPI_Comm_create_group, (C c, MPI_Group g, int tag, C *d), (c, g, tag, d));
MAKES(MPI_Comm_free, (C * c), (c));
MAKES(MPI_Intercomm_create, (C c, int l, C p, int far, int tag, C *d), (c, l, p, far, tag, d));
MAKES(MPI_Intercomm_merge, (C c, int high, C *d), (c, high, d));
MAKES(MPI_Cart_create, (C c, int n, const int dims[], const int periods[], int reorder, C *d),
      (c, n, dims, periods, reorder, d));
MAKES(MPI_Cart_sub, (C c, const int keep[], C *d), (c, keep, d));
MAKES(MPI_Graph_create, (C c, int n, const int index[], const int edges[], int reorder, C *d),
      (c, n, index, edges, reorder, d));
MAKES(MPI_Dist_graph_create,
      (C c, int n, const int from[], const int degrees[], const int to[], const int weights[], I i,
       int reorder, C *d),
      (c, n, from, degrees, to, weights, i, reorder, d));
MAKES(MPI_Dist_graph_create_adjacent,
      (C c, int n, const int from[], const int w[], int n2, const int to[], const int w2[], I i,
       int reorder, C *d),
      (c, n, from, w, n2, to, w2, i, reorder, d));

WRAP(MPI_Comm_spawn,
     (const char *name, char *argv[], int n, I i, int root, C c, C *d, int errors[]),
     (name, argv, n, i, root, c, d, errors), mpi_spawn, 0);
WRAP(MPI_Comm_disconnect, (C * c), (c), mpi_spawn, 0);

#if MPI_VERSION >= 4
typedef MPI_Count N;
WRAP(MPI_File_write_at_c, (F f, O o, in_t b, N n, T t, S s), (f, o, b, n, t, s), mpiio_write,
     sized(n, t));
WRAP(MPI_File_write_at_all_c, (F f, O o, in_t b, N n, T t, S s), (f, o, b, n, t, s),
     mpiio_write_all, sized(n, t));
WRAP(MPI_File_read_at_c, (F f, O o, void *b, N n, T t, S s), (f, o, b, n, t, s), mpiio_read,
     sized(n, t));
#endif
