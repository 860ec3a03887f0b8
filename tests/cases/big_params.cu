// More than 4 KB of parameters are recorded in another format.
//@ arch: sm_75 sm_80 sm_90 sm_100
//@ expect: lookup params=8012
//@ expect: nearly params=4092
//@ wrapper: lookup(table: &Table, out: &mut Out<f32>, i: i32)
//@ policy: params = "4 KiB"
//@ error: params-over-budget
struct Table { float values[2000]; };
struct Half { float values[1020]; };
extern "C" __global__ void lookup(const Table table, float *out, int i) { *out = table.values[i]; }
extern "C" __global__ void nearly(const Half table, float *out, int i) { *out = table.values[i]; }
