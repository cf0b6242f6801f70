//! C kernels for the tests, most of them the nests of PolyBench/C on integers.

pub const MATMUL: &str = "
void f(int N, int A[N][N], int B[N][N], int C[N][N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
}
";

pub const GEMM: &str = "
void f(int N, int A[N][N], int B[N][N], int C[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) C[i][j] *= 3;
        for (int k = 0; k < N; k++) for (int j = 0; j < N; j++) C[i][j] += A[i][k] * B[k][j];
    }
}
";

pub const JACOBI_1D: &str = "
void f(int T, int N, int A[N], int B[N]) {
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) B[i] = A[i - 1] + A[i] + A[i + 1];
        for (int i = 1; i < N - 1; i++) A[i] = B[i - 1] + B[i] + B[i + 1];
    }
}
";

pub const JACOBI_2D: &str = "
void f(int T, int N, int A[N][N], int B[N][N]) {
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++) B[i][j] = A[i - 1][j] + A[i][j] + A[i + 1][j] + A[i][j - 1]
            + A[i][j + 1];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++) A[i][j] = B[i - 1][j] + B[i][j] + B[i + 1][j] + B[i][j - 1]
            + B[i][j + 1];
    }
}
";

pub const FDTD_2D: &str = "
void f(int T, int N, int ex[N][N], int ey[N][N], int hz[N][N], int q[T]) {
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < N; j++) ey[0][j] = q[t];
        for (int i = 1; i < N; i++) for (int j = 0; j < N; j++) ey[i][j] -= (hz[i][j] - hz[i - 1][j]) / 2;
        for (int i = 0; i < N; i++) for (int j = 1; j < N; j++) ex[i][j] -= (hz[i][j] - hz[i][j - 1]) / 2;
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++) hz[i][j] -= ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j];
    }
}
";

pub const SYRK: &str = "
void f(int N, int M, int A[N][M], int C[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++) C[i][j] *= 3;
        for (int k = 0; k < M; k++) for (int j = 0; j <= i; j++) C[i][j] += A[i][k] * A[j][k];
    }
}
";

pub const LU: &str = "
void f(int N, int A[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < N; j++) for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
    }
}
";

pub const FLOYD_WARSHALL: &str = "
void f(int N, int p[N][N]) {
    for (int k = 0; k < N; k++) for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) p[i][j] = p[i][j] < p[i][k] + p[k][j] ? p[i][j] : p[i][k] + p[k][j];
}
";

pub const SEIDEL_2D: &str = "
void f(int T, int N, int A[N][N]) {
    for (int t = 0; t < T; t++) for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1]
        + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9;
}
";

pub const TWO_PRODUCTS: &str = "
void f(int N, int A[N][N], int B[N][N], int C[N][N], int D[N][N], int tmp[N][N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        tmp[i][j] = 0;
        for (int k = 0; k < N; k++) tmp[i][j] += A[i][k] * B[k][j];
    }
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        D[i][j] *= 3;
        for (int k = 0; k < N; k++) D[i][j] += tmp[i][k] * C[k][j];
    }
}
";

pub const MVT: &str = "
void f(int N, int A[N][N], int x1[N], int x2[N], int y1[N], int y2[N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x1[i] += A[i][j] * y1[j];
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x2[i] += A[j][i] * y2[j];
}
";

pub const GEMVER: &str = "
void f(int N, int A[N][N], int u1[N], int v1[N], int u2[N], int v2[N], int w[N], int x[N], int y[N], int z[N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x[i] += 2 * A[j][i] * y[j];
    for (int i = 0; i < N; i++) x[i] += z[i];
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) w[i] += 3 * A[i][j] * x[j];
}
";

pub const TRISOLV: &str = "
void f(int N, int L[N][N], int x[N], int b[N]) {
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
}
";

pub const ATAX: &str = "
void f(int N, int M, int A[M][N], int x[N], int y[N], int tmp[M]) {
    for (int i = 0; i < N; i++) y[i] = 0;
    for (int i = 0; i < M; i++) {
        tmp[i] = 0;
        for (int j = 0; j < N; j++) tmp[i] += A[i][j] * x[j];
        for (int j = 0; j < N; j++) y[j] += A[i][j] * tmp[i];
    }
}
";

pub const TRIANGLE: &str = "
void f(int N, int s[N], int t[N][N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N - i - 1; j++)
        for (int k = 0; k < j; k++) t[i][j] = t[i][k] + t[i + k + 1][j - k] > t[i][j] ? 1 : 2;
}
";

pub const DOITGEN: &str = "
void f(int N, int A[N][N][N], int C[N][N], int s[N]) {
    for (int r = 0; r < N; r++) for (int q = 0; q < N; q++) {
        for (int p = 0; p < N; p++) {
            s[p] = 0;
            for (int k = 0; k < N; k++) s[p] += A[r][q][k] * C[k][p];
        }
        for (int p = 0; p < N; p++) A[r][q][p] = s[p];
    }
}
";

pub const CONVOLUTION: &str = "
void f(int N, int K, int O[N][N][N], int I[N][N + K][N + K], int W[N][N][K][K]) {
    for (int k = 0; k < N; k++) for (int y = 0; y < N; y++) for (int x = 0; x < N; x++) {
        O[k][y][x] = 0;
        for (int c = 0; c < N; c++) for (int r = 0; r < K; r++)
            for (int s = 0; s < K; s++) O[k][y][x] += I[c][y + r][x + s] * W[k][c][r][s];
    }
}
";

pub const HEAT_3D: &str = "
void f(int T, int N, int A[N][N][N], int B[N][N][N]) {
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++) B[i][j][k] = A[i - 1][j][k] + A[i][j][k] + A[i + 1][j][k]
            + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] + A[i][j][k + 1];
        for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++) A[i][j][k] = B[i - 1][j][k] + B[i][j][k] + B[i + 1][j][k]
            + B[i][j - 1][k] + B[i][j + 1][k] + B[i][j][k - 1] + B[i][j][k + 1];
    }
}
";

pub const COVARIANCE: &str = "
void f(int N, int M, int data[N][M], int cov[M][M], int mean[M]) {
    for (int j = 0; j < M; j++) {
        mean[j] = 0;
        for (int i = 0; i < N; i++) mean[j] += data[i][j];
        mean[j] /= 7;
    }
    for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) data[i][j] -= mean[j];
    for (int i = 0; i < M; i++) for (int j = i; j < M; j++) {
        cov[i][j] = 0;
        for (int k = 0; k < N; k++) cov[i][j] += data[k][i] * data[k][j];
        cov[i][j] /= 5;
        cov[j][i] = cov[i][j];
    }
}
";

pub const SYMM: &str = "
void f(int N, int M, int C[M][N], int A[M][M], int B[M][N], int t[1]) {
    for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) {
        t[0] = 0;
        for (int k = 0; k < i; k++) {
            C[k][j] += 3 * B[i][j] * A[i][k];
            t[0] += B[k][j] * A[i][k];
        }
        C[i][j] = 2 * C[i][j] + 3 * B[i][j] * A[i][i] + 3 * t[0];
    }
}
";

pub const TRMM: &str = "
void f(int N, int M, int A[M][M], int B[M][N]) {
    for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) {
        for (int k = i + 1; k < M; k++) B[i][j] += A[k][i] * B[k][j];
        B[i][j] *= 3;
    }
}
";

pub const BICG: &str = "
void f(int N, int M, int A[N][M], int s[M], int q[N], int p[M], int r[N]) {
    for (int i = 0; i < M; i++) s[i] = 0;
    for (int i = 0; i < N; i++) {
        q[i] = 0;
        for (int j = 0; j < M; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
}
";

pub const GESUMMV: &str = "
void f(int N, int A[N][N], int B[N][N], int tmp[N], int x[N], int y[N]) {
    for (int i = 0; i < N; i++) {
        tmp[i] = 0;
        y[i] = 0;
        for (int j = 0; j < N; j++) {
            tmp[i] += A[i][j] * x[j];
            y[i] += B[i][j] * x[j];
        }
        y[i] = 3 * tmp[i] + 2 * y[i];
    }
}
";

pub const THREE_PRODUCTS: &str = "
void f(int N, int A[N][N], int B[N][N], int C[N][N], int D[N][N], int E[N][N], int F[N][N], int G[N][N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        E[i][j] = 0;
        for (int k = 0; k < N; k++) E[i][j] += A[i][k] * B[k][j];
    }
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        F[i][j] = 0;
        for (int k = 0; k < N; k++) F[i][j] += C[i][k] * D[k][j];
    }
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        G[i][j] = 0;
        for (int k = 0; k < N; k++) G[i][j] += E[i][k] * F[k][j];
    }
}
";

pub const NUSSINOV: &str = "
void f(int N, int s[N], int t[N][N]) {
    for (int i = 0; i < N; i++) for (int j = N - i; j < N; j++) {
        t[N - 1 - i][j] = t[N - 1 - i][j] > t[N - 1 - i][j - 1] ? t[N - 1 - i][j] : t[N - 1 - i][j - 1];
        for (int k = N - i; k < j; k++) t[N - 1 - i][j] = t[N - 1 - i][j] > t[N - 1 - i][k] + t[k + 1][j] ? 1 : 2;
    }
}
";

pub const CHOLESKY: &str = "
void f(int N, int A[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
        A[i][i] /= 3;
    }
}
";

pub const ADI: &str = "
void f(int T, int N, int u[N][N], int v[N][N], int p[N][N], int q[N][N]) {
    for (int t = 1; t <= T; t++) {
        for (int i = 1; i < N - 1; i++) {
            v[0][i] = 1;
            p[i][0] = 0;
            q[i][0] = v[0][i];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = 3 / (2 * p[i][j - 1] + 5);
                q[i][j] = u[j][i - 1] + u[j][i] + u[j][i + 1] - q[i][j - 1];
            }
            v[N - 1][i] = 1;
            for (int j = 1; j < N - 1; j++) v[N - 1 - j][i] = p[i][N - 1 - j] * v[N - j][i] + q[i][N - 1 - j];
        }
        for (int i = 1; i < N - 1; i++) {
            u[i][0] = 1;
            p[i][0] = 0;
            q[i][0] = u[i][0];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = 3 / (2 * p[i][j - 1] + 5);
                q[i][j] = v[i - 1][j] + v[i][j] + v[i + 1][j] - q[i][j - 1];
            }
            u[i][N - 1] = 1;
            for (int j = 1; j < N - 1; j++) u[i][N - 1 - j] = p[i][N - 1 - j] * u[i][N - j] + q[i][N - 1 - j];
        }
    }
}
";

pub const TRANSPOSE: &str = "
void f(int N, int M, int A[N][M], int B[M][N]) {
    for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) B[j][i] = A[i][j];
}
";

pub const SUM: &str = "
void f(int N, int a[N], int x[1]) {
    x[0] = 0;
    for (int i = 0; i < N; i++) x[0] += a[i];
    x[0] *= 3;
}
";
