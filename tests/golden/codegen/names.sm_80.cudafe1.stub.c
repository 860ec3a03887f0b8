#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define __NV_CUBIN_HANDLE_STORAGE__ static
#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#endif
#include "crt/host_runtime.h"
#include "names.fatbin.c"
typedef BatchDecodeParameters<float, int>  _Z21BatchDecodeParametersIfiE;
typedef AttentionWithPositionalEncoding<(bool)1, (bool)0, (int)128>  _Z31AttentionWithPositionalEncodingILb1ELb0ELi128EE;
typedef field::Point< ::field::Fp, (const  ::field::Fp *)0> ::Mem _ZN5field5PointINS_2FpELPKS1_0EE3MemE;
typedef field::Point< ::field::Fp, (const  ::field::Fp *)0>  _ZN5field5PointINS_2FpELPKS1_0EEE;
static void __device_stub__Z7productILi4ELi8EEviPKfPf4Mode(int, const float *, float *, enum Mode);
static void __device_stub__Z5powerIfLi2EEvT_PS0_i(float, float *, int);
static void __device_stub__Z5powerIdLi3EEvT_PS0_i(double, double *, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4copyPii(int *, int);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4CopyPff(float *, float);
static void __device_stub__Z29batch_decode_with_paged_cacheILi8ELi16E31AttentionWithPositionalEncodingILb1ELb0ELi128EE21BatchDecodeParametersIfiEEvT2_(const  _Z21BatchDecodeParametersIfiE&);
static void __device_stub__ZN5field5twiceINS_5PointINS_2FpELPKS2_0EEENS5_3MemEEEvPT0_( _ZN5field5PointINS_2FpELPKS1_0EE3MemE *);
static void __nv_cudaEntityRegisterCallback(void **);
static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));
static void __device_stub__Z7productILi4ELi8EEviPKfPf4Mode(int __par0, const float *__par1, float *__par2, enum Mode __par3){__cudaLaunchPrologue(4);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaSetupArgSimple(__par2, 16UL);__cudaSetupArgSimple(__par3, 24UL);__cudaLaunch(((char *)((void ( *)(int, const float *, float *, enum Mode))product<(int)4, (int)8> )));}
template<> __specialization_static void __wrapper__device_stub_product<(int)4, (int)8> ( int &__cuda_0,const float *&__cuda_1,float *&__cuda_2,enum ::Mode &__cuda_3){__device_stub__Z7productILi4ELi8EEviPKfPf4Mode( (int &)__cuda_0,(const float *&)__cuda_1,(float *&)__cuda_2,(enum ::Mode &)__cuda_3);}
static void __device_stub__Z5powerIfLi2EEvT_PS0_i(float __par0, float *__par1, int __par2){__cudaLaunchPrologue(3);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaSetupArgSimple(__par2, 16UL);__cudaLaunch(((char *)((void ( *)(float, float *, int))power<float, (int)2> )));}
template<> __specialization_static void __wrapper__device_stub_power<float, (int)2> ( float &__cuda_0,float *&__cuda_1,int &__cuda_2){__device_stub__Z5powerIfLi2EEvT_PS0_i( (float &)__cuda_0,(float *&)__cuda_1,(int &)__cuda_2);}
static void __device_stub__Z5powerIdLi3EEvT_PS0_i(double __par0, double *__par1, int __par2){__cudaLaunchPrologue(3);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaSetupArgSimple(__par2, 16UL);__cudaLaunch(((char *)((void ( *)(double, double *, int))power<double, (int)3> )));}
template<> __specialization_static void __wrapper__device_stub_power<double, (int)3> ( double &__cuda_0,double *&__cuda_1,int &__cuda_2){__device_stub__Z5powerIdLi3EEvT_PS0_i( (double &)__cuda_0,(double *&)__cuda_1,(int &)__cuda_2);}
__attribute__((visibility("hidden"))) void __device_stub__Z4copyPii(int *__par0, int __par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(int *, int))copy)));}
# 18 "names.cu"
void copy( int *__cuda_0,int __cuda_1)
# 18 "names.cu"
{__device_stub__Z4copyPii( __cuda_0,__cuda_1); }
# 1 "n_sm_80/names.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4CopyPff( float *__par0,  float __par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(float *, float))Copy))); }
# 19 "names.cu"
void Copy( float *__cuda_0,float __cuda_1)
# 19 "names.cu"
{__device_stub__Z4CopyPff( __cuda_0,__cuda_1); }
# 1 "n_sm_80/names.cudafe1.stub.c"
static void __device_stub__Z29batch_decode_with_paged_cacheILi8ELi16E31AttentionWithPositionalEncodingILb1ELb0ELi128EE21BatchDecodeParametersIfiEEvT2_( const  _Z21BatchDecodeParametersIfiE&__par0) {  __cudaLaunchPrologue(1); __cudaSetupArg(__par0, 0UL); __cudaLaunch(((char *)((void ( *)(const  _Z21BatchDecodeParametersIfiE))batch_decode_with_paged_cache<(int)8, (int)16,     ::AttentionWithPositionalEncoding<(bool)1, (bool)0, (int)128> ,     ::BatchDecodeParameters<float, int> > ))); }
template<> __specialization_static void __wrapper__device_stub_batch_decode_with_paged_cache<(int)8, (int)16,     ::AttentionWithPositionalEncoding<(bool)1, (bool)0, (int)128> ,     ::BatchDecodeParameters<float, int> > ( const  _Z21BatchDecodeParametersIfiE &__cuda_0){__device_stub__Z29batch_decode_with_paged_cacheILi8ELi16E31AttentionWithPositionalEncodingILb1ELb0ELi128EE21BatchDecodeParametersIfiEEvT2_( ( _Z21BatchDecodeParametersIfiE &)__cuda_0);}
static void __device_stub__ZN5field5twiceINS_5PointINS_2FpELPKS2_0EEENS5_3MemEEEvPT0_(  _ZN5field5PointINS_2FpELPKS1_0EE3MemE *__par0) {  __cudaLaunchPrologue(1); __cudaSetupArgSimple(__par0, 0UL); __cudaLaunch(((char *)((void ( *)( _ZN5field5PointINS_2FpELPKS1_0EE3MemE *))field::twice< ::field::Point< ::field::Fp, (const  ::field::Fp *)0> ,     ::field::Point< ::field::Fp, (const  ::field::Fp *)0> ::Mem> ))); }
namespace field{
template<> __specialization_static void __wrapper__device_stub_twice< ::field::Point< ::field::Fp, (const  ::field::Fp *)0> ,     ::field::Point< ::field::Fp, (const  ::field::Fp *)0> ::Mem> (  _ZN5field5PointINS_2FpELPKS1_0EE3MemE *&__cuda_0){__device_stub__ZN5field5twiceINS_5PointINS_2FpELPKS2_0EEENS5_3MemEEEvPT0_( ( _ZN5field5PointINS_2FpELPKS1_0EE3MemE *&)__cuda_0);}}
static void __nv_cudaEntityRegisterCallback( void **__T0) {  __nv_dummy_param_ref(__T0); __nv_save_fatbinhandle_for_managed_rt(__T0); __cudaRegisterEntry(__T0, ((void ( *)( _ZN5field5PointINS_2FpELPKS1_0EE3MemE *))field::twice< ::field::Point< ::field::Fp, (const  ::field::Fp *)0> ,     ::field::Point< ::field::Fp, (const  ::field::Fp *)0> ::Mem> ), _ZN5field5twiceINS_5PointINS_2FpELPKS2_0EEENS5_3MemEEEvPT0_, (-1)); __cudaRegisterEntry(__T0, ((void ( *)(const  _Z21BatchDecodeParametersIfiE))batch_decode_with_paged_cache<(int)8, (int)16,     ::AttentionWithPositionalEncoding<(bool)1, (bool)0, (int)128> ,     ::BatchDecodeParameters<float, int> > ), _Z29batch_decode_with_paged_cacheILi8ELi16E31AttentionWithPositionalEncodingILb1ELb0ELi128EE21BatchDecodeParametersIfiEEvT2_, (-1)); __cudaRegisterEntry(__T0, ((void ( *)(float *, float))Copy), Copy, (-1)); __cudaRegisterEntry(__T0, ((void ( *)(int *, int))copy), copy, (-1)); __cudaRegisterEntry(__T0, ((void ( *)(double, double *, int))power<double, (int)3> ), _Z5powerIdLi3EEvT_PS0_i, (-1)); __cudaRegisterEntry(__T0, ((void ( *)(float, float *, int))power<float, (int)2> ), _Z5powerIfLi2EEvT_PS0_i, (-1)); __cudaRegisterEntry(__T0, ((void ( *)(int, const float *, float *, enum Mode))product<(int)4, (int)8> ), _Z7productILi4ELi8EEviPKfPf4Mode, (-1)); __cudaRegisterVariable(__T0, __shadow_var(_ZN5field4P_M0E,::field::P_M0), 0, 4UL, 1, 0); __cudaRegisterVariable(__T0, __shadow_var(_ZN5field4P_m0E,::field::P_m0), 0, 4UL, 1, 0); }
static void __sti____cudaRegisterAll(void) {  __cudaRegisterBinary(__nv_cudaEntityRegisterCallback);  }

#pragma GCC diagnostic pop
