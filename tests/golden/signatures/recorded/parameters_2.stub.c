#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define __NV_CUBIN_HANDLE_STORAGE__ static
#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#endif
#include "crt/host_runtime.h"
#include "parameters_2.fatbin.c"
extern __attribute__((visibility("hidden"))) void __device_stub__Z9k_S_nullp7S_nullpi(struct S_nullp&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_ld4S_ldi(struct S_ld&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z8k_S_i1286S_i128i(struct S_i128&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5k_S_b3S_bi(struct S_b&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_zb4S_zbi(struct S_zb&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_S_ref5S_refi(struct S_ref&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z9k_S_const7S_consti(struct S_const&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_mp4S_mpi(struct S_mp&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5k_S_e3S_ei(struct S_e&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_S_nua5S_nuai(struct S_nua&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_mi4S_mii(struct S_mi&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_S_mi25S_mi2i(struct S_mi2&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_vb4S_vbi(struct S_vb&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_p14S_p1i(struct S_p1&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_p24S_p2i(struct S_p2&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_al4S_ali(struct S_al&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z8k_S_nest6S_nesti(struct S_nest&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_S_arr5S_arri(struct S_arr&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z8k_S_flex6S_flexi(struct S_flex&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z10k_S_static8S_statici(struct S_static&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z9k_S_der327S_der32i(struct S_der32&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_S_tpl5S_tpli(struct S_tpl&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_Priv4Privi(struct Priv&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_fn4S_fni(struct S_fn&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_S_a84S_a8i(struct S_a8&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z9k_S_in_a87S_in_a8i(struct S_in_a8&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5k_E643E64i(enum E64, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5k_E163E16i(enum E16, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_EBig4EBigi(enum EBig, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_ENeg4ENegi(enum ENeg, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4k_Eb2Ebi(enum Eb, int);
static void __nv_cudaEntityRegisterCallback(void **);
static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));
__attribute__((visibility("hidden"))) void __device_stub__Z9k_S_nullp7S_nullpi(struct S_nullp&__par0, int __par1){__cudaLaunchPrologue(2);__cudaSetupArg(__par0, 0UL);__cudaSetupArgSimple(__par1, 16UL);__cudaLaunch(((char *)((void ( *)(struct S_nullp, int))k_S_nullp)));}
# 40 "parameters_2.cu"
void k_S_nullp( struct ::S_nullp __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z9k_S_nullp7S_nullpi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_ld4S_ldi( struct S_ld&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_ld, int))k_S_ld))); }
# 40 "parameters_2.cu"
void k_S_ld( struct ::S_ld __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_ld4S_ldi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z8k_S_i1286S_i128i( struct S_i128&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_i128, int))k_S_i128))); }
# 40 "parameters_2.cu"
void k_S_i128( struct ::S_i128 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z8k_S_i1286S_i128i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5k_S_b3S_bi( struct S_b&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(struct S_b, int))k_S_b))); }
# 40 "parameters_2.cu"
void k_S_b( struct ::S_b __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z5k_S_b3S_bi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_zb4S_zbi( struct S_zb&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(struct S_zb, int))k_S_zb))); }
# 40 "parameters_2.cu"
void k_S_zb( struct ::S_zb __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_zb4S_zbi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_S_ref5S_refi( struct S_ref&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 16UL); __cudaLaunch(((char *)((void ( *)(struct S_ref, int))k_S_ref))); }
# 40 "parameters_2.cu"
void k_S_ref( struct ::S_ref __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z7k_S_ref5S_refi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z9k_S_const7S_consti( struct S_const&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 12UL); __cudaLaunch(((char *)((void ( *)(struct S_const, int))k_S_const))); }
# 40 "parameters_2.cu"
void k_S_const( struct ::S_const __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z9k_S_const7S_consti( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_mp4S_mpi( struct S_mp&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 24UL); __cudaLaunch(((char *)((void ( *)(struct S_mp, int))k_S_mp))); }
# 40 "parameters_2.cu"
void k_S_mp( struct ::S_mp __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_mp4S_mpi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5k_S_e3S_ei( struct S_e&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_e, int))k_S_e))); }
# 40 "parameters_2.cu"
void k_S_e( struct ::S_e __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z5k_S_e3S_ei( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_S_nua5S_nuai( struct S_nua&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(struct S_nua, int))k_S_nua))); }
# 40 "parameters_2.cu"
void k_S_nua( struct ::S_nua __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z7k_S_nua5S_nuai( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_mi4S_mii( struct S_mi&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(struct S_mi, int))k_S_mi))); }
# 40 "parameters_2.cu"
void k_S_mi( struct ::S_mi __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_mi4S_mii( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_S_mi25S_mi2i( struct S_mi2&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(struct S_mi2, int))k_S_mi2))); }
# 40 "parameters_2.cu"
void k_S_mi2( struct ::S_mi2 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z7k_S_mi25S_mi2i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_vb4S_vbi( struct S_vb&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_vb, int))k_S_vb))); }
# 40 "parameters_2.cu"
void k_S_vb( struct ::S_vb __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_vb4S_vbi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_p14S_p1i( struct S_p1&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 16UL); __cudaLaunch(((char *)((void ( *)(struct S_p1, int))k_S_p1))); }
# 40 "parameters_2.cu"
void k_S_p1( struct ::S_p1 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_p14S_p1i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_p24S_p2i( struct S_p2&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 16UL); __cudaLaunch(((char *)((void ( *)(struct S_p2, int))k_S_p2))); }
# 40 "parameters_2.cu"
void k_S_p2( struct ::S_p2 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_p24S_p2i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_al4S_ali( struct S_al&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_al, int))k_S_al))); }
# 40 "parameters_2.cu"
void k_S_al( struct ::S_al __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_al4S_ali( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z8k_S_nest6S_nesti( struct S_nest&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 56UL); __cudaLaunch(((char *)((void ( *)(struct S_nest, int))k_S_nest))); }
# 40 "parameters_2.cu"
void k_S_nest( struct ::S_nest __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z8k_S_nest6S_nesti( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_S_arr5S_arri( struct S_arr&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 48UL); __cudaLaunch(((char *)((void ( *)(struct S_arr, int))k_S_arr))); }
# 40 "parameters_2.cu"
void k_S_arr( struct ::S_arr __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z7k_S_arr5S_arri( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z8k_S_flex6S_flexi( struct S_flex&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(struct S_flex, int))k_S_flex))); }
# 40 "parameters_2.cu"
void k_S_flex( struct ::S_flex __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z8k_S_flex6S_flexi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z10k_S_static8S_statici( struct S_static&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(struct S_static, int))k_S_static))); }
# 40 "parameters_2.cu"
void k_S_static( struct ::S_static __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z10k_S_static8S_statici( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z9k_S_der327S_der32i( struct S_der32&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_der32, int))k_S_der32))); }
# 40 "parameters_2.cu"
void k_S_der32( struct ::S_der32 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z9k_S_der327S_der32i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_S_tpl5S_tpli( struct S_tpl&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct S_tpl, int))k_S_tpl))); }
# 40 "parameters_2.cu"
void k_S_tpl( struct ::S_tpl __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z7k_S_tpl5S_tpli( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_Priv4Privi( struct Priv&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 12UL); __cudaLaunch(((char *)((void ( *)(struct Priv, int))k_Priv))); }
# 40 "parameters_2.cu"
void k_Priv( struct ::Priv __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_Priv4Privi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_fn4S_fni( struct S_fn&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 48UL); __cudaLaunch(((char *)((void ( *)(struct S_fn, int))k_S_fn))); }
# 40 "parameters_2.cu"
void k_S_fn( struct ::S_fn __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_fn4S_fni( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_S_a84S_a8i( struct S_a8&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 16UL); __cudaLaunch(((char *)((void ( *)(struct S_a8, int))k_S_a8))); }
# 40 "parameters_2.cu"
void k_S_a8( struct ::S_a8 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z6k_S_a84S_a8i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z9k_S_in_a87S_in_a8i( struct S_in_a8&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 24UL); __cudaLaunch(((char *)((void ( *)(struct S_in_a8, int))k_S_in_a8))); }
# 40 "parameters_2.cu"
void k_S_in_a8( struct ::S_in_a8 __cuda_0,int __cuda_1)
# 40 "parameters_2.cu"
{__device_stub__Z9k_S_in_a87S_in_a8i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5k_E643E64i( enum E64 __par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(enum E64, int))k_E64))); }
# 41 "parameters_2.cu"
void k_E64( enum ::E64 __cuda_0,int __cuda_1)
# 41 "parameters_2.cu"
{__device_stub__Z5k_E643E64i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5k_E163E16i( enum E16 __par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(enum E16, int))k_E16))); }
# 41 "parameters_2.cu"
void k_E16( enum ::E16 __cuda_0,int __cuda_1)
# 41 "parameters_2.cu"
{__device_stub__Z5k_E163E16i( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_EBig4EBigi( enum EBig __par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(enum EBig, int))k_EBig))); }
# 41 "parameters_2.cu"
void k_EBig( enum ::EBig __cuda_0,int __cuda_1)
# 41 "parameters_2.cu"
{__device_stub__Z6k_EBig4EBigi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_ENeg4ENegi( enum ENeg __par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(enum ENeg, int))k_ENeg))); }
# 41 "parameters_2.cu"
void k_ENeg( enum ::ENeg __cuda_0,int __cuda_1)
# 41 "parameters_2.cu"
{__device_stub__Z6k_ENeg4ENegi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4k_Eb2Ebi( enum Eb __par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaLaunch(((char *)((void ( *)(enum Eb, int))k_Eb))); }
# 41 "parameters_2.cu"
void k_Eb( enum ::Eb __cuda_0,int __cuda_1)
# 41 "parameters_2.cu"
{__device_stub__Z4k_Eb2Ebi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_2.cudafe1.stub.c"
static void __nv_cudaEntityRegisterCallback( void **__T1) {  __nv_dummy_param_ref(__T1); __nv_save_fatbinhandle_for_managed_rt(__T1); __cudaRegisterEntry(__T1, ((void ( *)(enum Eb, int))k_Eb), _Z4k_Eb2Ebi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(enum ENeg, int))k_ENeg), _Z6k_ENeg4ENegi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(enum EBig, int))k_EBig), _Z6k_EBig4EBigi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(enum E16, int))k_E16), _Z5k_E163E16i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(enum E64, int))k_E64), _Z5k_E643E64i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_in_a8, int))k_S_in_a8), _Z9k_S_in_a87S_in_a8i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_a8, int))k_S_a8), _Z6k_S_a84S_a8i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_fn, int))k_S_fn), _Z6k_S_fn4S_fni, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct Priv, int))k_Priv), _Z6k_Priv4Privi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_tpl, int))k_S_tpl), _Z7k_S_tpl5S_tpli, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_der32, int))k_S_der32), _Z9k_S_der327S_der32i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_static, int))k_S_static), _Z10k_S_static8S_statici, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_flex, int))k_S_flex), _Z8k_S_flex6S_flexi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_arr, int))k_S_arr), _Z7k_S_arr5S_arri, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_nest, int))k_S_nest), _Z8k_S_nest6S_nesti, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_al, int))k_S_al), _Z6k_S_al4S_ali, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_p2, int))k_S_p2), _Z6k_S_p24S_p2i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_p1, int))k_S_p1), _Z6k_S_p14S_p1i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_vb, int))k_S_vb), _Z6k_S_vb4S_vbi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_mi2, int))k_S_mi2), _Z7k_S_mi25S_mi2i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_mi, int))k_S_mi), _Z6k_S_mi4S_mii, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_nua, int))k_S_nua), _Z7k_S_nua5S_nuai, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_e, int))k_S_e), _Z5k_S_e3S_ei, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_mp, int))k_S_mp), _Z6k_S_mp4S_mpi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_const, int))k_S_const), _Z9k_S_const7S_consti, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_ref, int))k_S_ref), _Z7k_S_ref5S_refi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_zb, int))k_S_zb), _Z6k_S_zb4S_zbi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_b, int))k_S_b), _Z5k_S_b3S_bi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_i128, int))k_S_i128), _Z8k_S_i1286S_i128i, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_ld, int))k_S_ld), _Z6k_S_ld4S_ldi, (-1)); __cudaRegisterEntry(__T1, ((void ( *)(struct S_nullp, int))k_S_nullp), _Z9k_S_nullp7S_nullpi, (-1)); }
static void __sti____cudaRegisterAll(void) {  __cudaRegisterBinary(__nv_cudaEntityRegisterCallback);  }

#pragma GCC diagnostic pop
