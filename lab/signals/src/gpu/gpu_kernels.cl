/* gpu_kernels.cl: the kernels of the patterns of GPUs. gpu_kernels.h has them as PTX, which the driver compiles
 * for the current GPU. After a change:
 *   clang -x cl -cl-std=CL1.2 -target nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_60 -O2 -S -o - \
 *     gpu_kernels.cl | grep -v '^//' | sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/\\n"/' */
#define TILE 16

/* c = a b, of n x n numbers each; n is a multiple of TILE. */
__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float x[TILE][TILE], y[TILE][TILE];
    int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
    int row = __nvvm_read_ptx_sreg_ctaid_y() * TILE + ty;
    int column = __nvvm_read_ptx_sreg_ctaid_x() * TILE + tx;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        x[ty][tx] = a[row * n + k + tx];
        y[ty][tx] = b[(k + ty) * n + column];
        __nvvm_bar_sync(0);
        for (int i = 0; i < TILE; i++)
            sum += x[ty][i] * y[i][tx];
        __nvvm_bar_sync(0);
    }
    c[row * n + column] = sum;
}

/* Eight operations a round, in registers; numbers always stay normal. */
__kernel void compute(__global float *out, int rounds)
{
    int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
            __nvvm_read_ptx_sreg_tid_x();
    float a = i, b = 1.0f, c = 2.0f, d = 3.0f;
    for (int r = 0; r < rounds; r++) {
        a = a * 0.999f + 0.5f;
        b = b * 0.998f + 0.25f;
        c = c * 0.997f + 0.125f;
        d = d * 0.996f + 0.0625f;
    }
    out[i] = a + b + c + d;
}
