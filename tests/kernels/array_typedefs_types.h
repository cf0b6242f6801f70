#define N 7
typedef int vector[N];
typedef vector matrix[N];
