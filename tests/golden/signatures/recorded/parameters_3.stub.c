#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define __NV_CUBIN_HANDLE_STORAGE__ static
#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#endif
#include "crt/host_runtime.h"
#include "parameters_3.fatbin.c"
typedef int _ZN2ns5myintE;
typedef ns::P _ZN2ns1PE;
typedef ns::In _ZN2ns2InE;
typedef Outer::Inner _ZN5Outer5InnerE;
typedef Outer::TI< ::ns::W<int> >  _ZN5Outer2TIIN2ns1WIiEEEE;
typedef ns::Color _ZN2ns5ColorE;
typedef ns::Mode _ZN2ns4ModeE;
typedef std::nullptr_t _ZSt9nullptr_t;
typedef std::byte _ZSt4byte;
typedef float _ZN2ns1WIfE4typeE;
typedef ns::W< ::ns::In>  _ZN2ns1WINS_2InEEE;
typedef ns::W<const float *>  _ZN2ns1WIPKfEE;
typedef ns::W<void (*)(int)>  _ZN2ns1WIPFviEEE;
typedef _NV_ANON_NAMESPACE::AN _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ANE;
typedef _NV_ANON_NAMESPACE::AT<float>  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATIfEE;
typedef _NV_ANON_NAMESPACE::AT< ::_NV_ANON_NAMESPACE::AN>  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATINS_2ANEEE;
extern __attribute__((visibility("hidden"))) void __device_stub__Z4k_em2Em5EmArr6EmLast6EmOnly5EmTwo3Der6DerInti(struct Em&, struct EmArr&, struct EmLast&, struct EmOnly&, struct EmTwo&, struct Der&, struct DerInt&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_upad4UPad7HasUPadi(union UPad&, struct HasUPad&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_i1287I128Mid5LLMid8I128Last6LLLast7I128OnePKS3_(struct I128Mid&, struct LLMid&, struct I128Last&, struct LLLast&, struct I128One&, const struct I128One *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4k_tdiPKfN2ns2InENS1_1WIS2_EEfS0_PfPA4_S_P4NodeNS1_5ColorENS1_4ModeEPKSB_(_ZN2ns5myintE, _ZN2ns1PE,  _ZN2ns2InE&,  _ZN2ns1WINS_2InEEE&, _ZN2ns1WIfE4typeE, cfp, float *, const arr4 *, struct Node *,  _ZN2ns5ColorE,  _ZN2ns4ModeE, const  _ZN2ns4ModeE *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4k_fp10__half_raw13__nv_fp8_e8m013__nv_fp6_e2m313__nv_fp6_e3m213__nv_fp4_e2m115__nv_fp8x2_e4m315__nv_fp8x4_e5m215__nv_fp4x4_e2m1PKS4_(__half_raw&, struct __nv_fp8_e8m0&, struct __nv_fp6_e2m3&, struct __nv_fp6_e3m2&, struct __nv_fp4_e2m1&, struct __nv_fp8x2_e4m3&, struct __nv_fp8x4_e5m2&, struct __nv_fp4x4_e2m1&, const struct __nv_fp8x2_e4m3 *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_misc11double4_16a11double4_32a13longlong4_32a10cudaExtent7cudaPos14cudaPitchedPtrSt4byteDnw7double3PK4dim35uint36uchar1PaPS5_Pbb(struct double4_16a&, struct double4_32a&, struct longlong4_32a&, struct cudaExtent&, struct cudaPos&, struct cudaPitchedPtr&,  _ZSt4byte, _ZSt9nullptr_t, wchar_t, struct double3&, const struct dim3 *, struct uint3&, struct uchar1&, signed char *,  _ZSt4byte *, bool *, const bool);
static void __device_stub__Z7k_targsIPKfLb1ELc120ELm7ELN2ns4ModeEn3EXadL_Z4globEENS2_1WEEvT5_IT_E( _ZN2ns1WIPKfEE&);
static void __device_stub__Z5k_fnpIPFifN2ns2InEEEvT_PFviS1_EPA3_iNS0_1WIPFviEEE(int (*)(float,  _ZN2ns2InE), void (*)(int,  _ZN2ns2InE), int (*const)[3],  _ZN2ns1WIPFviEEE&);
extern __attribute__((visibility("hidden"))) void __device_stub__Z9k_unnamedifN2ns2InEPKfPK14CUtensorMap_st(int, float,  _ZN2ns2InE&, const float *, const CUtensorMap *);
extern __attribute__((visibility("hidden"))) void __device_stub__ZN2ns9k_extc_nsENS_2InE4Node( _ZN2ns2InE&, struct Node&);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5k_volPVfPVKiPKPKPfS3_PKfRA4_KiRK6float4(volatile float *, const volatile int *, float *const *const *, float *const __restrict__, const float *__restrict__, const int (*)[4], const struct float4 *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_usevPf(float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_outer5OuterNS_5InnerENS_2TIIN2ns1WIiEEEE(struct Outer&,  _ZN5Outer5InnerE&,  _ZN5Outer2TIIN2ns1WIiEEEE&);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5k_gap5LLMidi(struct LLMid&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_packs2P45P1in47P4again10PackedBits10HalfPacked14AlignedTypedefi(struct P4&, struct P1in4&, struct P4again&, struct PackedBits&, struct HalfPacked&, struct AlignedTypedef&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6k_more6UEmpty8DeepAnon5Multi6BitMix5Enums4Ptrs6Reuse16Reuse2i(union UEmpty&, struct DeepAnon&, struct Multi&, struct BitMix&, struct Enums&, struct Ptrs&, struct Reuse1&, struct Reuse2&, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7k_enums6Signed4WidePKS0_PS_(enum Signed, enum Wide, const enum Wide *, enum Signed *);
extern __attribute__((visibility("hidden"))) void __device_stub__ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter6k_anonENS_2ANENS_2ATIS0_EEPNS1_IfEE( _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ANE&,  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATINS_2ANEEE&,  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATIfEE *);
static void __nv_cudaEntityRegisterCallback(void **);
static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));
__attribute__((visibility("hidden"))) void __device_stub__Z4k_em2Em5EmArr6EmLast6EmOnly5EmTwo3Der6DerInti(struct Em&__par0, struct EmArr&__par1, struct EmLast&__par2, struct EmOnly&__par3, struct EmTwo&__par4, struct Der&__par5, struct DerInt&__par6, int __par7){__cudaLaunchPrologue(8);__cudaSetupArg(__par0, 0UL);__cudaSetupArg(__par1, 4UL);__cudaSetupArg(__par2, 12UL);__cudaSetupArg(__par3, 20UL);__cudaSetupArg(__par4, 21UL);__cudaSetupArg(__par5, 23UL);__cudaSetupArg(__par6, 28UL);__cudaSetupArgSimple(__par7, 36UL);__cudaLaunch(((char *)((void ( *)(struct Em, struct EmArr, struct EmLast, struct EmOnly, struct EmTwo, struct Der, struct DerInt, int))k_em)));}
# 31 "parameters_3.cu"
void k_em( struct ::Em __cuda_0,struct ::EmArr __cuda_1,struct ::EmLast __cuda_2,struct ::EmOnly __cuda_3,struct ::EmTwo __cuda_4,struct ::Der __cuda_5,struct ::DerInt __cuda_6,int __cuda_7)
# 31 "parameters_3.cu"
{__device_stub__Z4k_em2Em5EmArr6EmLast6EmOnly5EmTwo3Der6DerInti( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_upad4UPad7HasUPadi( union UPad&__par0,  struct HasUPad&__par1,  int __par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArg(__par1, 16UL); __cudaSetupArgSimple(__par2, 40UL); __cudaLaunch(((char *)((void ( *)(union UPad, struct HasUPad, int))k_upad))); }
# 32 "parameters_3.cu"
void k_upad( union ::UPad __cuda_0,struct ::HasUPad __cuda_1,int __cuda_2)
# 32 "parameters_3.cu"
{__device_stub__Z6k_upad4UPad7HasUPadi( __cuda_0,__cuda_1,__cuda_2); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_i1287I128Mid5LLMid8I128Last6LLLast7I128OnePKS3_( struct I128Mid&__par0,  struct LLMid&__par1,  struct I128Last&__par2,  struct LLLast&__par3,  struct I128One&__par4,  const struct I128One *__par5) {  __cudaLaunchPrologue(6); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 32UL); __cudaSetupArg(__par2, 64UL); __cudaSetupArg(__par3, 96UL); __cudaSetupArg(__par4, 128UL); __cudaSetupArgSimple(__par5, 144UL); __cudaLaunch(((char *)((void ( *)(struct I128Mid, struct LLMid, struct I128Last, struct LLLast, struct I128One, const struct I128One *))k_i128))); }
# 33 "parameters_3.cu"
void k_i128( struct ::I128Mid __cuda_0,struct ::LLMid __cuda_1,struct ::I128Last __cuda_2,struct ::LLLast __cuda_3,struct ::I128One __cuda_4,const struct ::I128One *__cuda_5)
# 33 "parameters_3.cu"
{__device_stub__Z6k_i1287I128Mid5LLMid8I128Last6LLLast7I128OnePKS3_( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4k_tdiPKfN2ns2InENS1_1WIS2_EEfS0_PfPA4_S_P4NodeNS1_5ColorENS1_4ModeEPKSB_( _ZN2ns5myintE __par0,  _ZN2ns1PE __par1,   _ZN2ns2InE&__par2,   _ZN2ns1WINS_2InEEE&__par3,  _ZN2ns1WIfE4typeE __par4,  cfp __par5,  float *__par6,  const arr4 *__par7,  struct Node *__par8,   _ZN2ns5ColorE __par9,   _ZN2ns4ModeE __par10,  const  _ZN2ns4ModeE *__par11) {  __cudaLaunchPrologue(12); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArg(__par2, 16UL); __cudaSetupArg(__par3, 32UL); __cudaSetupArgSimple(__par4, 48UL); __cudaSetupArgSimple(__par5, 56UL); __cudaSetupArgSimple(__par6, 64UL); __cudaSetupArgSimple(__par7, 72UL); __cudaSetupArgSimple(__par8, 80UL); __cudaSetupArgSimple(__par9, 88UL); __cudaSetupArgSimple(__par10, 92UL); __cudaSetupArgSimple(__par11, 96UL); __cudaLaunch(((char *)((void ( *)(_ZN2ns5myintE, _ZN2ns1PE,  _ZN2ns2InE,  _ZN2ns1WINS_2InEEE, _ZN2ns1WIfE4typeE, cfp, float *, const arr4 *, struct Node *,  _ZN2ns5ColorE,  _ZN2ns4ModeE, const  _ZN2ns4ModeE *))k_td))); }
# 34 "parameters_3.cu"
void k_td( _ZN2ns5myintE __cuda_0,_ZN2ns1PE __cuda_1, _ZN2ns2InE __cuda_2, _ZN2ns1WINS_2InEEE __cuda_3,_ZN2ns1WIfE4typeE __cuda_4,::cfp __cuda_5,::arr4 __cuda_6,const ::arr4 *__cuda_7,struct ::Node *__cuda_8, _ZN2ns5ColorE __cuda_9, _ZN2ns4ModeE __cuda_10,const  _ZN2ns4ModeE *__cuda_11)
# 34 "parameters_3.cu"
{__device_stub__Z4k_tdiPKfN2ns2InENS1_1WIS2_EEfS0_PfPA4_S_P4NodeNS1_5ColorENS1_4ModeEPKSB_( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8,__cuda_9,__cuda_10,__cuda_11); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4k_fp10__half_raw13__nv_fp8_e8m013__nv_fp6_e2m313__nv_fp6_e3m213__nv_fp4_e2m115__nv_fp8x2_e4m315__nv_fp8x4_e5m215__nv_fp4x4_e2m1PKS4_( __half_raw&__par0,  struct __nv_fp8_e8m0&__par1,  struct __nv_fp6_e2m3&__par2,  struct __nv_fp6_e3m2&__par3,  struct __nv_fp4_e2m1&__par4,  struct __nv_fp8x2_e4m3&__par5,  struct __nv_fp8x4_e5m2&__par6,  struct __nv_fp4x4_e2m1&__par7,  const struct __nv_fp8x2_e4m3 *__par8) {  __cudaLaunchPrologue(9); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 2UL); __cudaSetupArg(__par2, 3UL); __cudaSetupArg(__par3, 4UL); __cudaSetupArg(__par4, 5UL); __cudaSetupArg(__par5, 6UL); __cudaSetupArg(__par6, 8UL); __cudaSetupArg(__par7, 12UL); __cudaSetupArgSimple(__par8, 16UL); __cudaLaunch(((char *)((void ( *)(__half_raw, struct __nv_fp8_e8m0, struct __nv_fp6_e2m3, struct __nv_fp6_e3m2, struct __nv_fp4_e2m1, struct __nv_fp8x2_e4m3, struct __nv_fp8x4_e5m2, struct __nv_fp4x4_e2m1, const struct __nv_fp8x2_e4m3 *))k_fp))); }
# 35 "parameters_3.cu"
void k_fp( ::__half_raw __cuda_0,struct ::__nv_fp8_e8m0 __cuda_1,struct ::__nv_fp6_e2m3 __cuda_2,struct ::__nv_fp6_e3m2 __cuda_3,struct ::__nv_fp4_e2m1 __cuda_4,struct ::__nv_fp8x2_e4m3 __cuda_5,struct ::__nv_fp8x4_e5m2 __cuda_6,struct ::__nv_fp4x4_e2m1 __cuda_7,const struct ::__nv_fp8x2_e4m3 *__cuda_8)
# 35 "parameters_3.cu"
{__device_stub__Z4k_fp10__half_raw13__nv_fp8_e8m013__nv_fp6_e2m313__nv_fp6_e3m213__nv_fp4_e2m115__nv_fp8x2_e4m315__nv_fp8x4_e5m215__nv_fp4x4_e2m1PKS4_( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_misc11double4_16a11double4_32a13longlong4_32a10cudaExtent7cudaPos14cudaPitchedPtrSt4byteDnw7double3PK4dim35uint36uchar1PaPS5_Pbb( struct double4_16a&__par0,  struct double4_32a&__par1,  struct longlong4_32a&__par2,  struct cudaExtent&__par3,  struct cudaPos&__par4,  struct cudaPitchedPtr&__par5,   _ZSt4byte __par6,  _ZSt9nullptr_t __par7,  wchar_t __par8,  struct double3&__par9,  const struct dim3 *__par10,  struct uint3&__par11,  struct uchar1&__par12,  signed char *__par13,   _ZSt4byte *__par14,  bool *__par15,  const bool __par16) {  __cudaLaunchPrologue(17); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 32UL); __cudaSetupArg(__par2, 64UL); __cudaSetupArg(__par3, 96UL); __cudaSetupArg(__par4, 120UL); __cudaSetupArg(__par5, 144UL); __cudaSetupArgSimple(__par6, 176UL); __cudaSetupArgSimple(__par7, 184UL); __cudaSetupArgSimple(__par8, 192UL); __cudaSetupArg(__par9, 200UL); __cudaSetupArgSimple(__par10, 224UL); __cudaSetupArg(__par11, 232UL); __cudaSetupArg(__par12, 244UL); __cudaSetupArgSimple(__par13, 248UL); __cudaSetupArgSimple(__par14, 256UL); __cudaSetupArgSimple(__par15, 264UL); __cudaSetupArgSimple(__par16, 272UL); __cudaLaunch(((char *)((void ( *)(struct double4_16a, struct double4_32a, struct longlong4_32a, struct cudaExtent, struct cudaPos, struct cudaPitchedPtr,  _ZSt4byte, _ZSt9nullptr_t, wchar_t, struct double3, const struct dim3 *, struct uint3, struct uchar1, signed char *,  _ZSt4byte *, bool *, const bool))k_misc))); }
# 36 "parameters_3.cu"
void k_misc( struct ::double4_16a __cuda_0,struct ::double4_32a __cuda_1,struct ::longlong4_32a __cuda_2,struct ::cudaExtent __cuda_3,struct ::cudaPos __cuda_4,struct ::cudaPitchedPtr __cuda_5, _ZSt4byte __cuda_6,_ZSt9nullptr_t __cuda_7,wchar_t __cuda_8,struct ::double3 __cuda_9,const struct ::dim3 *__cuda_10,struct ::uint3 __cuda_11,struct ::uchar1 __cuda_12,signed char *__cuda_13, _ZSt4byte *__cuda_14,bool *__cuda_15,const bool __cuda_16)
# 36 "parameters_3.cu"
{__device_stub__Z6k_misc11double4_16a11double4_32a13longlong4_32a10cudaExtent7cudaPos14cudaPitchedPtrSt4byteDnw7double3PK4dim35uint36uchar1PaPS5_Pbb( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8,__cuda_9,__cuda_10,__cuda_11,__cuda_12,__cuda_13,__cuda_14,__cuda_15,__cuda_16); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
static void __device_stub__Z7k_targsIPKfLb1ELc120ELm7ELN2ns4ModeEn3EXadL_Z4globEENS2_1WEEvT5_IT_E(  _ZN2ns1WIPKfEE&__par0) {  __cudaLaunchPrologue(1); __cudaSetupArg(__par0, 0UL); __cudaLaunch(((char *)((void ( *)( _ZN2ns1WIPKfEE))k_targs<const float *, (bool)1, (char)120, (unsigned long)7ul, ( ::ns::Mode)-3, & ::glob,  ::ns::W> ))); }
template<> __specialization_static void __wrapper__device_stub_k_targs<const float *, (bool)1, (char)120, (unsigned long)7ul, ( ::ns::Mode)-3, & ::glob,  ::ns::W> (  _ZN2ns1WIPKfEE &__cuda_0){__device_stub__Z7k_targsIPKfLb1ELc120ELm7ELN2ns4ModeEn3EXadL_Z4globEENS2_1WEEvT5_IT_E( ( _ZN2ns1WIPKfEE &)__cuda_0);}
static void __device_stub__Z5k_fnpIPFifN2ns2InEEEvT_PFviS1_EPA3_iNS0_1WIPFviEEE( int (*__par0)(float,  _ZN2ns2InE),  void (*__par1)(int,  _ZN2ns2InE),  int (*const __par2)[3],   _ZN2ns1WIPFviEEE&__par3) {  __cudaLaunchPrologue(4); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaSetupArg(__par3, 24UL); __cudaLaunch(((char *)((void ( *)(int (*)(float,  _ZN2ns2InE), void (*)(int,  _ZN2ns2InE), int (*const)[3],  _ZN2ns1WIPFviEEE))k_fnp<int (*)(float,  ::ns::In)> ))); }
template<> __specialization_static void __wrapper__device_stub_k_fnp<int (*)(float,  ::ns::In)> ( int (*&__cuda_0)(float,  _ZN2ns2InE),void (*&__cuda_1)(int,  _ZN2ns2InE),int (*const &__cuda_2)[3], _ZN2ns1WIPFviEEE &__cuda_3){__device_stub__Z5k_fnpIPFifN2ns2InEEEvT_PFviS1_EPA3_iNS0_1WIPFviEEE( (int (*&)(float,  _ZN2ns2InE))__cuda_0,(void (*&)(int,  _ZN2ns2InE))__cuda_1,(int (*&)[3])__cuda_2,( _ZN2ns1WIPFviEEE &)__cuda_3);}
__attribute__((visibility("hidden"))) void __device_stub__Z9k_unnamedifN2ns2InEPKfPK14CUtensorMap_st( int __par0,  float __par1,   _ZN2ns2InE&__par2,  const float *__par3,  const CUtensorMap *__par4) {  __cudaLaunchPrologue(5); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArg(__par2, 8UL); __cudaSetupArgSimple(__par3, 24UL); __cudaSetupArgSimple(__par4, 32UL); __cudaLaunch(((char *)((void ( *)(int, float,  _ZN2ns2InE, const float *, const CUtensorMap *))k_unnamed))); }
# 45 "parameters_3.cu"
void k_unnamed( int __cuda_0,float __cuda_1, _ZN2ns2InE __cuda_2,const float *__cuda_3,const ::CUtensorMap *__cuda_4)
# 45 "parameters_3.cu"
{__device_stub__Z9k_unnamedifN2ns2InEPKfPK14CUtensorMap_st( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__ZN2ns9k_extc_nsENS_2InE4Node(  _ZN2ns2InE&__par0,  struct Node&__par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 16UL); __cudaLaunch(((char *)((void ( *)( _ZN2ns2InE, struct Node))ns::k_extc_ns))); }
# 46 "parameters_3.cu"
void ns::k_extc_ns(  _ZN2ns2InE __cuda_0,struct ::Node __cuda_1)
# 46 "parameters_3.cu"
{__device_stub__ZN2ns9k_extc_nsENS_2InE4Node( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5k_volPVfPVKiPKPKPfS3_PKfRA4_KiRK6float4( volatile float *__par0,  const volatile int *__par1,  float *const *const *__par2,  float *const __restrict__ __par3,  const float *__restrict__ __par4,  const int (*__par5)[4],  const struct float4 *__par6) {  float *__T0;
 const float *__T1;
__cudaLaunchPrologue(7); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __T0 = __par3; __cudaSetupArgSimple(__T0, 24UL); __T1 = __par4; __cudaSetupArgSimple(__T1, 32UL); __cudaSetupArgSimple(__par5, 40UL); __cudaSetupArgSimple(__par6, 48UL); __cudaLaunch(((char *)((void ( *)(volatile float *, const volatile int *, float *const *const *, float *const __restrict__, const float *__restrict__, const int (&)[4], const struct float4 &))k_vol))); }
# 47 "parameters_3.cu"
void k_vol( volatile float *__cuda_0,const volatile int *__cuda_1,float *const *const *__cuda_2,float *const __restrict__ __cuda_3,const float *__restrict__ __cuda_4,const int (&__cuda_5)[4],const struct ::float4 &__cuda_6)
# 47 "parameters_3.cu"
{__device_stub__Z5k_volPVfPVKiPKPKPfS3_PKfRA4_KiRK6float4( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cudaAddressOf(__cuda_5),__cudaAddressOf(__cuda_6)); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_usevPf( float *__par0) {  __cudaLaunchPrologue(1); __cudaSetupArgSimple(__par0, 0UL); __cudaLaunch(((char *)((void ( *)(float *))k_usev))); }
# 49 "parameters_3.cu"
void k_usev( float *__cuda_0)
# 49 "parameters_3.cu"
{__device_stub__Z6k_usevPf( __cuda_0); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_outer5OuterNS_5InnerENS_2TIIN2ns1WIiEEEE( struct Outer&__par0,   _ZN5Outer5InnerE&__par1,   _ZN5Outer2TIIN2ns1WIiEEEE&__par2) {  __cudaLaunchPrologue(3); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 8UL); __cudaSetupArg(__par2, 12UL); __cudaLaunch(((char *)((void ( *)(struct Outer,  _ZN5Outer5InnerE,  _ZN5Outer2TIIN2ns1WIiEEEE))k_outer))); }
# 51 "parameters_3.cu"
void k_outer( struct ::Outer __cuda_0, _ZN5Outer5InnerE __cuda_1, _ZN5Outer2TIIN2ns1WIiEEEE __cuda_2)
# 51 "parameters_3.cu"
{__device_stub__Z7k_outer5OuterNS_5InnerENS_2TIIN2ns1WIiEEEE( __cuda_0,__cuda_1,__cuda_2); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5k_gap5LLMidi( struct LLMid&__par0,  int __par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)(struct LLMid, int))k_gap))); }
# 53 "parameters_3.cu"
void k_gap( struct ::LLMid __cuda_0,int __cuda_1)
# 53 "parameters_3.cu"
{__device_stub__Z5k_gap5LLMidi( __cuda_0,__cuda_1); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_packs2P45P1in47P4again10PackedBits10HalfPacked14AlignedTypedefi( struct P4&__par0,  struct P1in4&__par1,  struct P4again&__par2,  struct PackedBits&__par3,  struct HalfPacked&__par4,  struct AlignedTypedef&__par5,  int __par6) {  __cudaLaunchPrologue(7); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 28UL); __cudaSetupArg(__par2, 64UL); __cudaSetupArg(__par3, 112UL); __cudaSetupArg(__par4, 124UL); __cudaSetupArg(__par5, 144UL); __cudaSetupArgSimple(__par6, 176UL); __cudaLaunch(((char *)((void ( *)(struct P4, struct P1in4, struct P4again, struct PackedBits, struct HalfPacked, struct AlignedTypedef, int))k_packs))); }
# 78 "parameters_3.cu"
void k_packs( struct ::P4 __cuda_0,struct ::P1in4 __cuda_1,struct ::P4again __cuda_2,struct ::PackedBits __cuda_3,struct ::HalfPacked __cuda_4,struct ::AlignedTypedef __cuda_5,int __cuda_6)
# 78 "parameters_3.cu"
{__device_stub__Z7k_packs2P45P1in47P4again10PackedBits10HalfPacked14AlignedTypedefi( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6k_more6UEmpty8DeepAnon5Multi6BitMix5Enums4Ptrs6Reuse16Reuse2i( union UEmpty&__par0,  struct DeepAnon&__par1,  struct Multi&__par2,  struct BitMix&__par3,  struct Enums&__par4,  struct Ptrs&__par5,  struct Reuse1&__par6,  struct Reuse2&__par7,  int __par8) {  __cudaLaunchPrologue(9); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArg(__par1, 8UL); __cudaSetupArg(__par2, 32UL); __cudaSetupArg(__par3, 104UL); __cudaSetupArg(__par4, 128UL); __cudaSetupArg(__par5, 160UL); __cudaSetupArg(__par6, 216UL); __cudaSetupArg(__par7, 224UL); __cudaSetupArgSimple(__par8, 236UL); __cudaLaunch(((char *)((void ( *)(union UEmpty, struct DeepAnon, struct Multi, struct BitMix, struct Enums, struct Ptrs, struct Reuse1, struct Reuse2, int))k_more))); }
# 79 "parameters_3.cu"
void k_more( union ::UEmpty __cuda_0,struct ::DeepAnon __cuda_1,struct ::Multi __cuda_2,struct ::BitMix __cuda_3,struct ::Enums __cuda_4,struct ::Ptrs __cuda_5,struct ::Reuse1 __cuda_6,struct ::Reuse2 __cuda_7,int __cuda_8)
# 79 "parameters_3.cu"
{__device_stub__Z6k_more6UEmpty8DeepAnon5Multi6BitMix5Enums4Ptrs6Reuse16Reuse2i( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7k_enums6Signed4WidePKS0_PS_( enum Signed __par0,  enum Wide __par1,  const enum Wide *__par2,  enum Signed *__par3) {  __cudaLaunchPrologue(4); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaSetupArgSimple(__par3, 24UL); __cudaLaunch(((char *)((void ( *)(enum Signed, enum Wide, const enum Wide *, enum Signed *))k_enums))); }
# 80 "parameters_3.cu"
void k_enums( enum ::Signed __cuda_0,enum ::Wide __cuda_1,const enum ::Wide *__cuda_2,enum ::Signed *__cuda_3)
# 80 "parameters_3.cu"
{__device_stub__Z7k_enums6Signed4WidePKS0_PS_( __cuda_0,__cuda_1,__cuda_2,__cuda_3); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter6k_anonENS_2ANENS_2ATIS0_EEPNS1_IfEE(  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ANE&__par0,   _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATINS_2ANEEE&__par1,   _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATIfEE *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)( _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ANE,  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATINS_2ANEEE,  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATIfEE *))_NV_ANON_NAMESPACE::k_anon))); }
# 43 "parameters_3.cu"
void _NV_ANON_NAMESPACE::k_anon(  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ANE __cuda_0, _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATINS_2ANEEE __cuda_1, _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATIfEE *__cuda_2)
# 43 "parameters_3.cu"
{__device_stub__ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter6k_anonENS_2ANENS_2ATIS0_EEPNS1_IfEE( __cuda_0,__cuda_1,__cuda_2); }
# 1 "sm_90/parameters_3.cudafe1.stub.c"
static void __nv_cudaEntityRegisterCallback( void **__T6) {  __nv_dummy_param_ref(__T6); __nv_save_fatbinhandle_for_managed_rt(__T6); __cudaRegisterEntry(__T6, ((void ( *)( _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ANE,  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATINS_2ANEEE,  _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter2ATIfEE *))_NV_ANON_NAMESPACE::k_anon), _ZN47_GLOBAL__N__8de907cd_15_parameters_3_cu_counter6k_anonENS_2ANENS_2ATIS0_EEPNS1_IfEE, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(enum Signed, enum Wide, const enum Wide *, enum Signed *))k_enums), _Z7k_enums6Signed4WidePKS0_PS_, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(union UEmpty, struct DeepAnon, struct Multi, struct BitMix, struct Enums, struct Ptrs, struct Reuse1, struct Reuse2, int))k_more), _Z6k_more6UEmpty8DeepAnon5Multi6BitMix5Enums4Ptrs6Reuse16Reuse2i, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(struct P4, struct P1in4, struct P4again, struct PackedBits, struct HalfPacked, struct AlignedTypedef, int))k_packs), _Z7k_packs2P45P1in47P4again10PackedBits10HalfPacked14AlignedTypedefi, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(struct LLMid, int))k_gap), _Z5k_gap5LLMidi, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(struct Outer,  _ZN5Outer5InnerE,  _ZN5Outer2TIIN2ns1WIiEEEE))k_outer), _Z7k_outer5OuterNS_5InnerENS_2TIIN2ns1WIiEEEE, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(float *))k_usev), _Z6k_usevPf, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(volatile float *, const volatile int *, float *const *const *, float *const __restrict__, const float *__restrict__, const int (&)[4], const struct float4 &))k_vol), _Z5k_volPVfPVKiPKPKPfS3_PKfRA4_KiRK6float4, (-1)); __cudaRegisterEntry(__T6, ((void ( *)( _ZN2ns2InE, struct Node))ns::k_extc_ns), k_extc_ns, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(int, float,  _ZN2ns2InE, const float *, const CUtensorMap *))k_unnamed), _Z9k_unnamedifN2ns2InEPKfPK14CUtensorMap_st, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(int (*)(float,  _ZN2ns2InE), void (*)(int,  _ZN2ns2InE), int (*const)[3],  _ZN2ns1WIPFviEEE))k_fnp<int (*)(float,  ::ns::In)> ), _Z5k_fnpIPFifN2ns2InEEEvT_PFviS1_EPA3_iNS0_1WIPFviEEE, (-1)); __cudaRegisterEntry(__T6, ((void ( *)( _ZN2ns1WIPKfEE))k_targs<const float *, (bool)1, (char)120, (unsigned long)7ul, ( ::ns::Mode)-3, & ::glob,  ::ns::W> ), _Z7k_targsIPKfLb1ELc120ELm7ELN2ns4ModeEn3EXadL_Z4globEENS2_1WEEvT5_IT_E, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(struct double4_16a, struct double4_32a, struct longlong4_32a, struct cudaExtent, struct cudaPos, struct cudaPitchedPtr,  _ZSt4byte, _ZSt9nullptr_t, wchar_t, struct double3, const struct dim3 *, struct uint3, struct uchar1, signed char *,  _ZSt4byte *, bool *, const bool))k_misc), _Z6k_misc11double4_16a11double4_32a13longlong4_32a10cudaExtent7cudaPos14cudaPitchedPtrSt4byteDnw7double3PK4dim35uint36uchar1PaPS5_Pbb, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(__half_raw, struct __nv_fp8_e8m0, struct __nv_fp6_e2m3, struct __nv_fp6_e3m2, struct __nv_fp4_e2m1, struct __nv_fp8x2_e4m3, struct __nv_fp8x4_e5m2, struct __nv_fp4x4_e2m1, const struct __nv_fp8x2_e4m3 *))k_fp), _Z4k_fp10__half_raw13__nv_fp8_e8m013__nv_fp6_e2m313__nv_fp6_e3m213__nv_fp4_e2m115__nv_fp8x2_e4m315__nv_fp8x4_e5m215__nv_fp4x4_e2m1PKS4_, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(_ZN2ns5myintE, _ZN2ns1PE,  _ZN2ns2InE,  _ZN2ns1WINS_2InEEE, _ZN2ns1WIfE4typeE, cfp, float *, const arr4 *, struct Node *,  _ZN2ns5ColorE,  _ZN2ns4ModeE, const  _ZN2ns4ModeE *))k_td), _Z4k_tdiPKfN2ns2InENS1_1WIS2_EEfS0_PfPA4_S_P4NodeNS1_5ColorENS1_4ModeEPKSB_, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(struct I128Mid, struct LLMid, struct I128Last, struct LLLast, struct I128One, const struct I128One *))k_i128), _Z6k_i1287I128Mid5LLMid8I128Last6LLLast7I128OnePKS3_, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(union UPad, struct HasUPad, int))k_upad), _Z6k_upad4UPad7HasUPadi, (-1)); __cudaRegisterEntry(__T6, ((void ( *)(struct Em, struct EmArr, struct EmLast, struct EmOnly, struct EmTwo, struct Der, struct DerInt, int))k_em), _Z4k_em2Em5EmArr6EmLast6EmOnly5EmTwo3Der6DerInti, (-1)); __cudaRegisterVariable(__T6, __shadow_var(coeffs,::coeffs), 0, 64UL, 1, 0); __cudaRegisterVariable(__T6, __shadow_var(counter,::counter), 0, 4UL, 0, 0); __cudaRegisterVariable(__T6, __shadow_var(glob,::glob), 0, 4UL, 0, 0); __cudaRegisterVariable(__T6, __shadow_var(_Z4dvarIfE,(::dvar<float> )), 0, 4UL, 0, 0); __cudaRegisterManagedVariable(__T6, __shadow_var(managed_counter,::managed_counter), 0, 4UL, 0, 0); __cudaRegisterVariable(__T6, __shadow_var(_ZN2ns3cinE,::ns::cin), 0, 16UL, 1, 0); __cudaRegisterVariable(__T6, __shadow_var(_ZN2ns2wdE,::ns::wd), 0, 8UL, 0, 0); __cudaRegisterVariable(__T6, __shadow_var(_ZN45_INTERNAL_8de907cd_15_parameters_3_cu_counter2ns6hiddenE,::ns::hidden), 0, 4UL, 0, 0); }
static void __sti____cudaRegisterAll(void) {  __cudaRegisterBinary(__nv_cudaEntityRegisterCallback);  }

#pragma GCC diagnostic pop
