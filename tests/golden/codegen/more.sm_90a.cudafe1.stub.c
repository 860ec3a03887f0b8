#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define __NV_CUBIN_HANDLE_STORAGE__ static
#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#endif
#include "crt/host_runtime.h"
#include "more.fatbin.c"
typedef geo::Vec<float, (int)4>  _ZN3geo3VecIfLi4EEE;
typedef geo::Vec<double, (int)4>  _ZN3geo3VecIdLi4EEE;
extern __attribute__((visibility("hidden"))) void __device_stub__Z10use_shared5ShapeN3geo3VecIfLi4EEE5MixedPf(struct Shape&,  _ZN3geo3VecIfLi4EEE&, struct Mixed&, float *);
static void __device_stub__Z4fillIfEviT_PS0_(int, float, float *);
static void __device_stub__Z4fillIiEviT_PS0_(int, int, int *);
static void __device_stub__Z4fillI6__halfEviT_PS1_(int, struct __half&, struct __half *);
static void __device_stub__Z4castIfdEviPKT_PT0_(int, const float *, double *);
static void __device_stub__Z4castIdfEviPKT_PT0_(int, const double *, float *);
static void __device_stub__Z6gatherIfEvN3geo3VecIT_Li4EEEPS2_( _ZN3geo3VecIfLi4EEE&, float *);
static void __device_stub__Z6gatherIdEvN3geo3VecIT_Li4EEEPS2_( _ZN3geo3VecIdLi4EEE&, double *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z9clusteredPf(float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6tensor14CUtensorMap_stPf(const CUtensorMap&, float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z13shared_memoryPf(float *);
static void __nv_cudaEntityRegisterCallback(void **);
static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));
__attribute__((visibility("hidden"))) void __device_stub__Z10use_shared5ShapeN3geo3VecIfLi4EEE5MixedPf(struct Shape&__par0,  _ZN3geo3VecIfLi4EEE&__par1, struct Mixed&__par2, float *__par3){__cudaLaunchPrologue(4);__cudaSetupArg(__par0, 0UL);__cudaSetupArg(__par1, 16UL);__cudaSetupArg(__par2, 32UL);__cudaSetupArgSimple(__par3, 48UL);__cudaLaunch(((char *)((void ( *)(struct Shape,  _ZN3geo3VecIfLi4EEE, struct Mixed, float *))use_shared)));}
# 39 "more.cu"
void use_shared( struct ::Shape __cuda_0, _ZN3geo3VecIfLi4EEE __cuda_1,struct ::Mixed __cuda_2,float *__cuda_3)
# 39 "more.cu"
{__device_stub__Z10use_shared5ShapeN3geo3VecIfLi4EEE5MixedPf( __cuda_0,__cuda_1,__cuda_2,__cuda_3);


}
# 1 "more.cudafe1.stub.c"
static void __device_stub__Z4fillIfEviT_PS0_( int __par0,  float __par1,  float *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(int, float, float *))fill<float> ))); }
template<> __specialization_static void __wrapper__device_stub_fill<float> ( int &__cuda_0,float &__cuda_1,float *&__cuda_2){__device_stub__Z4fillIfEviT_PS0_( (int &)__cuda_0,(float &)__cuda_1,(float *&)__cuda_2);}
static void __device_stub__Z4fillIiEviT_PS0_( int __par0,  int __par1,  int *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(int, int, int *))fill<int> ))); }
template<> __specialization_static void __wrapper__device_stub_fill<int> ( int &__cuda_0,int &__cuda_1,int *&__cuda_2){__device_stub__Z4fillIiEviT_PS0_( (int &)__cuda_0,(int &)__cuda_1,(int *&)__cuda_2);}
static void __device_stub__Z4fillI6__halfEviT_PS1_( int __par0,  struct __half&__par1,  struct __half *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArg(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(int, struct __half, struct __half *))fill<    ::__half> ))); }
template<> __specialization_static void __wrapper__device_stub_fill<    ::__half> ( int &__cuda_0,struct ::__half &__cuda_1,struct ::__half *&__cuda_2){__device_stub__Z4fillI6__halfEviT_PS1_( (int &)__cuda_0,(struct ::__half &)__cuda_1,(struct ::__half *&)__cuda_2);}
static void __device_stub__Z4castIfdEviPKT_PT0_( int __par0,  const float *__par1,  double *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaLaunch(((char *)((void ( *)(int, const float *, double *))cast<float, double> ))); }
template<> __specialization_static void __wrapper__device_stub_cast<float, double> ( int &__cuda_0,const float *&__cuda_1,double *&__cuda_2){__device_stub__Z4castIfdEviPKT_PT0_( (int &)__cuda_0,(const float *&)__cuda_1,(double *&)__cuda_2);}
static void __device_stub__Z4castIdfEviPKT_PT0_( int __par0,  const double *__par1,  float *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaLaunch(((char *)((void ( *)(int, const double *, float *))cast<double, float> ))); }
template<> __specialization_static void __wrapper__device_stub_cast<double, float> ( int &__cuda_0,const double *&__cuda_1,float *&__cuda_2){__device_stub__Z4castIdfEviPKT_PT0_( (int &)__cuda_0,(const double *&)__cuda_1,(float *&)__cuda_2);}
static void __device_stub__Z6gatherIfEvN3geo3VecIT_Li4EEEPS2_(  _ZN3geo3VecIfLi4EEE&__par0,  float *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 16UL); __cudaLaunch(((char *)((void ( *)( _ZN3geo3VecIfLi4EEE, float *))gather<float> ))); }
template<> __specialization_static void __wrapper__device_stub_gather<float> (  _ZN3geo3VecIfLi4EEE &__cuda_0,float *&__cuda_1){__device_stub__Z6gatherIfEvN3geo3VecIT_Li4EEEPS2_( ( _ZN3geo3VecIfLi4EEE &)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z6gatherIdEvN3geo3VecIT_Li4EEEPS2_(  _ZN3geo3VecIdLi4EEE&__par0,  double *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 32UL); __cudaLaunch(((char *)((void ( *)( _ZN3geo3VecIdLi4EEE, double *))gather<double> ))); }
template<> __specialization_static void __wrapper__device_stub_gather<double> (  _ZN3geo3VecIdLi4EEE &__cuda_0,double *&__cuda_1){__device_stub__Z6gatherIdEvN3geo3VecIT_Li4EEEPS2_( ( _ZN3geo3VecIdLi4EEE &)__cuda_0,(double *&)__cuda_1);}
__attribute__((visibility("hidden"))) void __device_stub__Z9clusteredPf( float *__par0) {  __cudaLaunchPrologue(1); __cudaSetupArgSimple(__par0, 0UL); __cudaLaunch(((char *)((void ( *)(float *))clustered))); }
# 69 "more.cu"
void clustered( float *__cuda_0)
# 69 "more.cu"
{__device_stub__Z9clusteredPf( __cuda_0); }
# 1 "more.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6tensor14CUtensorMap_stPf( const CUtensorMap&__par0,  float *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 128UL); __cudaLaunch(((char *)((void ( *)(const CUtensorMap, float *))tensor))); }
# 70 "more.cu"
void tensor( const ::CUtensorMap __cuda_0,float *__cuda_1)
# 70 "more.cu"
{__device_stub__Z6tensor14CUtensorMap_stPf( __cuda_0,__cuda_1);

}
# 1 "more.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z13shared_memoryPf( float *__par0) {  __cudaLaunchPrologue(1); __cudaSetupArgSimple(__par0, 0UL); __cudaLaunch(((char *)((void ( *)(float *))shared_memory))); }
# 74 "more.cu"
void shared_memory( float *__cuda_0)
# 74 "more.cu"
{__device_stub__Z13shared_memoryPf( __cuda_0);
# 80 "more.cu"
}
# 1 "more.cudafe1.stub.c"
static void __nv_cudaEntityRegisterCallback( void **__T2) {  __nv_dummy_param_ref(__T2); __nv_save_fatbinhandle_for_managed_rt(__T2); __cudaRegisterEntry(__T2, ((void ( *)(float *))shared_memory), shared_memory, 64); __cudaRegisterEntry(__T2, ((void ( *)(const CUtensorMap, float *))tensor), tensor, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(float *))clustered), clustered, (-1)); __cudaRegisterEntry(__T2, ((void ( *)( _ZN3geo3VecIdLi4EEE, double *))gather<double> ), _Z6gatherIdEvN3geo3VecIT_Li4EEEPS2_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)( _ZN3geo3VecIfLi4EEE, float *))gather<float> ), _Z6gatherIfEvN3geo3VecIT_Li4EEEPS2_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(int, const double *, float *))cast<double, float> ), _Z4castIdfEviPKT_PT0_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(int, const float *, double *))cast<float, double> ), _Z4castIfdEviPKT_PT0_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(int, struct __half, struct __half *))fill<    ::__half> ), _Z4fillI6__halfEviT_PS1_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(int, int, int *))fill<int> ), _Z4fillIiEviT_PS0_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(int, float, float *))fill<float> ), _Z4fillIfEviT_PS0_, (-1)); __cudaRegisterEntry(__T2, ((void ( *)(struct Shape,  _ZN3geo3VecIfLi4EEE, struct Mixed, float *))use_shared), use_shared, (-1)); __cudaRegisterVariable(__T2, __shadow_var(coefficients,::coefficients), 0, 64UL, 1, 0); __cudaRegisterVariable(__T2, __shadow_var(shape,::shape), 0, 16UL, 1, 0); __cudaRegisterVariable(__T2, __shadow_var(counter,::counter), 0, 8UL, 0, 0); __cudaRegisterVariable(__T2, __shadow_var(_ZN3geo6originE,::geo::origin), 0, 16UL, 0, 0); }
static void __sti____cudaRegisterAll(void) {  __cudaRegisterBinary(__nv_cudaEntityRegisterCallback);  }

#pragma GCC diagnostic pop
