#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define __NV_CUBIN_HANDLE_STORAGE__ static
#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#endif
#include "crt/host_runtime.h"
#include "families.fatbin.c"
typedef Wide<float>  _Z4WideIfE;
typedef Wide<double>  _Z4WideIdE;
typedef geo::Op _ZN3geo2OpE;
typedef geo::Vec<float, (int)2>  _ZN3geo3VecIfLi2EEE;
typedef geo::Vec<double, (int)3>  _ZN3geo3VecIdLi3EEE;
static void __device_stub__Z3sumIfLi8EEvPKT_PS0_(const float *, float *);
static void __device_stub__Z3sumIfLi16EEvPKT_PS0_(const float *, float *);
static void __device_stub__Z3sumIiLin1EEvPKT_PS0_(const int *, int *);
static void __device_stub__Z3sumI6__halfLi8EEvPKT_PS1_(const struct __half *, struct __half *);
static void __device_stub__Z4tileILi16ELj16EEvfPf(float, float *);
static void __device_stub__Z4tileILi32ELj4000000000EEvfPf(float, float *);
static void __device_stub__Z7mul_matIL10quant_type8ELi48ELb0EEvPKvPf(const void *, float *);
static void __device_stub__Z7mul_matIL10quant_type10ELi48ELb0EEvPKvPf(const void *, float *);
static void __device_stub__Z7mul_matIL10quant_type10ELi48ELb1EEvPKvPf(const void *, float *);
static void __device_stub__Z7mul_matIL10quant_type5ELi48ELb0EEvPKvPf(const void *, float *);
static void __device_stub__Z21all_the_integer_typesILxn5000000000ELc120ELs3ELm4ELy18446744073709551615ELan6ELh7EEvPi(int *);
static void __device_stub__Z7convertIfiLb1EEviPKT_PT0_(int, const float *, int *);
static void __device_stub__Z7convertIifLb0EEviPKT_PT0_(int, const int *, float *);
static void __device_stub__Z5clearIfLi1EEviPf(int, float *);
static void __device_stub__Z5clearIsLi2EEviPf(int, float *);
static void __device_stub__Z9any_valueILi3EEvPi(int *);
static void __device_stub__Z9any_valueILc99EEvPi(int *);
static void __device_stub__Z6policyI3TagLi4EEvPi(int *);
static void __device_stub__Z5traitI5TwicefEvPT0_(float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7advancev(void);
static void __device_stub__Z4wideIfEvi4WideIT_EPS1_(int,  _Z4WideIfE&, float *);
static void __device_stub__Z4wideIdEvi4WideIT_EPS1_(int,  _Z4WideIdE&, double *);
static void __device_stub__ZN3geo6reduceILNS_2OpE0EfEEviT0_PS2_(int, float, float *);
static void __device_stub__ZN3geo6reduceILNS_2OpE3EiEEviT0_PS2_(int, int, int *);
static void __device_stub__ZN3geo6spreadIfLi2EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_( _ZN3geo3VecIfLi2EEE&, float (*)[2], float *);
static void __device_stub__ZN3geo6spreadIdLi3EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_( _ZN3geo3VecIdLi3EEE&, double (*)[3], double *);
static void __nv_cudaEntityRegisterCallback(void **);
static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));
static void __device_stub__Z3sumIfLi8EEvPKT_PS0_(const float *__par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const float *, float *))sum<float, (int)8> )));}
template<> __specialization_static void __wrapper__device_stub_sum<float, (int)8> ( const float *&__cuda_0,float *&__cuda_1){__device_stub__Z3sumIfLi8EEvPKT_PS0_( (const float *&)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z3sumIfLi16EEvPKT_PS0_(const float *__par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const float *, float *))sum<float, (int)16> )));}
template<> __specialization_static void __wrapper__device_stub_sum<float, (int)16> ( const float *&__cuda_0,float *&__cuda_1){__device_stub__Z3sumIfLi16EEvPKT_PS0_( (const float *&)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z3sumIiLin1EEvPKT_PS0_(const int *__par0, int *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const int *, int *))sum<int, (int)-1> )));}
template<> __specialization_static void __wrapper__device_stub_sum<int, (int)-1> ( const int *&__cuda_0,int *&__cuda_1){__device_stub__Z3sumIiLin1EEvPKT_PS0_( (const int *&)__cuda_0,(int *&)__cuda_1);}
static void __device_stub__Z3sumI6__halfLi8EEvPKT_PS1_(const struct __half *__par0, struct __half *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const struct __half *, struct __half *))sum<    ::__half, (int)8> )));}
template<> __specialization_static void __wrapper__device_stub_sum<    ::__half, (int)8> ( const struct ::__half *&__cuda_0,struct ::__half *&__cuda_1){__device_stub__Z3sumI6__halfLi8EEvPKT_PS1_( (const struct ::__half *&)__cuda_0,(struct ::__half *&)__cuda_1);}
static void __device_stub__Z4tileILi16ELj16EEvfPf(float __par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(float, float *))tile<(int)16, (unsigned int)16u> )));}
template<> __specialization_static void __wrapper__device_stub_tile<(int)16, (unsigned int)16u> ( float &__cuda_0,float *&__cuda_1){__device_stub__Z4tileILi16ELj16EEvfPf( (float &)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z4tileILi32ELj4000000000EEvfPf(float __par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(float, float *))tile<(int)32, (unsigned int)4000000000u> )));}
template<> __specialization_static void __wrapper__device_stub_tile<(int)32, (unsigned int)4000000000u> ( float &__cuda_0,float *&__cuda_1){__device_stub__Z4tileILi32ELj4000000000EEvfPf( (float &)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z7mul_matIL10quant_type8ELi48ELb0EEvPKvPf(const void *__par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const void *, float *))mul_mat<(    ::quant_type)8, (int)48, (bool)0> )));}
template<> __specialization_static void __wrapper__device_stub_mul_mat<(    ::quant_type)8, (int)48, (bool)0> ( const void *&__cuda_0,float *&__cuda_1){__device_stub__Z7mul_matIL10quant_type8ELi48ELb0EEvPKvPf( (const void *&)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z7mul_matIL10quant_type10ELi48ELb0EEvPKvPf(const void *__par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const void *, float *))mul_mat<(    ::quant_type)10, (int)48, (bool)0> )));}
template<> __specialization_static void __wrapper__device_stub_mul_mat<(    ::quant_type)10, (int)48, (bool)0> ( const void *&__cuda_0,float *&__cuda_1){__device_stub__Z7mul_matIL10quant_type10ELi48ELb0EEvPKvPf( (const void *&)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z7mul_matIL10quant_type10ELi48ELb1EEvPKvPf(const void *__par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const void *, float *))mul_mat<(    ::quant_type)10, (int)48, (bool)1> )));}
template<> __specialization_static void __wrapper__device_stub_mul_mat<(    ::quant_type)10, (int)48, (bool)1> ( const void *&__cuda_0,float *&__cuda_1){__device_stub__Z7mul_matIL10quant_type10ELi48ELb1EEvPKvPf( (const void *&)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z7mul_matIL10quant_type5ELi48ELb0EEvPKvPf(const void *__par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(const void *, float *))mul_mat<(    ::quant_type)5, (int)48, (bool)0> )));}
template<> __specialization_static void __wrapper__device_stub_mul_mat<(    ::quant_type)5, (int)48, (bool)0> ( const void *&__cuda_0,float *&__cuda_1){__device_stub__Z7mul_matIL10quant_type5ELi48ELb0EEvPKvPf( (const void *&)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z21all_the_integer_typesILxn5000000000ELc120ELs3ELm4ELy18446744073709551615ELan6ELh7EEvPi(int *__par0){__cudaLaunchPrologue(1);__cudaSetupArgSimple(__par0, 0UL);__cudaLaunch(((char *)((void ( *)(int *))all_the_integer_types<(long long)-5000000000ll, (char)120, (short)3, (unsigned long)4ul, (unsigned long long)18446744073709551615ull, (signed char)-6, (unsigned char)7> )));}
template<> __specialization_static void __wrapper__device_stub_all_the_integer_types<(long long)-5000000000ll, (char)120, (short)3, (unsigned long)4ul, (unsigned long long)18446744073709551615ull, (signed char)-6, (unsigned char)7> ( int *&__cuda_0){__device_stub__Z21all_the_integer_typesILxn5000000000ELc120ELs3ELm4ELy18446744073709551615ELan6ELh7EEvPi( (int *&)__cuda_0);}
static void __device_stub__Z7convertIfiLb1EEviPKT_PT0_(int __par0, const float *__par1, int *__par2){__cudaLaunchPrologue(3);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaSetupArgSimple(__par2, 16UL);__cudaLaunch(((char *)((void ( *)(int, const float *, int *))convert<float, int, (bool)1> )));}
template<> __specialization_static void __wrapper__device_stub_convert<float, int, (bool)1> ( int &__cuda_0,const float *&__cuda_1,int *&__cuda_2){__device_stub__Z7convertIfiLb1EEviPKT_PT0_( (int &)__cuda_0,(const float *&)__cuda_1,(int *&)__cuda_2);}
static void __device_stub__Z7convertIifLb0EEviPKT_PT0_(int __par0, const int *__par1, float *__par2){__cudaLaunchPrologue(3);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaSetupArgSimple(__par2, 16UL);__cudaLaunch(((char *)((void ( *)(int, const int *, float *))convert<int, float, (bool)0> )));}
template<> __specialization_static void __wrapper__device_stub_convert<int, float, (bool)0> ( int &__cuda_0,const int *&__cuda_1,float *&__cuda_2){__device_stub__Z7convertIifLb0EEviPKT_PT0_( (int &)__cuda_0,(const int *&)__cuda_1,(float *&)__cuda_2);}
static void __device_stub__Z5clearIfLi1EEviPf(int __par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(int, float *))clear<float, (int)1> )));}
template<> __specialization_static void __wrapper__device_stub_clear<float, (int)1> ( int &__cuda_0,float *&__cuda_1){__device_stub__Z5clearIfLi1EEviPf( (int &)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z5clearIsLi2EEviPf(int __par0, float *__par1){__cudaLaunchPrologue(2);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 8UL);__cudaLaunch(((char *)((void ( *)(int, float *))clear<short, (int)2> )));}
template<> __specialization_static void __wrapper__device_stub_clear<short, (int)2> ( int &__cuda_0,float *&__cuda_1){__device_stub__Z5clearIsLi2EEviPf( (int &)__cuda_0,(float *&)__cuda_1);}
static void __device_stub__Z9any_valueILi3EEvPi(int *__par0){__cudaLaunchPrologue(1);__cudaSetupArgSimple(__par0, 0UL);__cudaLaunch(((char *)((void ( *)(int *))any_value<(int)3> )));}
template<> __specialization_static void __wrapper__device_stub_any_value<(int)3> ( int *&__cuda_0){__device_stub__Z9any_valueILi3EEvPi( (int *&)__cuda_0);}
static void __device_stub__Z9any_valueILc99EEvPi(int *__par0){__cudaLaunchPrologue(1);__cudaSetupArgSimple(__par0, 0UL);__cudaLaunch(((char *)((void ( *)(int *))any_value<(char)99> )));}
template<> __specialization_static void __wrapper__device_stub_any_value<(char)99> ( int *&__cuda_0){__device_stub__Z9any_valueILc99EEvPi( (int *&)__cuda_0);}
static void __device_stub__Z6policyI3TagLi4EEvPi(int *__par0){__cudaLaunchPrologue(1);__cudaSetupArgSimple(__par0, 0UL);__cudaLaunch(((char *)((void ( *)(int *))policy<    ::Tag, (int)4> )));}
template<> __specialization_static void __wrapper__device_stub_policy<    ::Tag, (int)4> ( int *&__cuda_0){__device_stub__Z6policyI3TagLi4EEvPi( (int *&)__cuda_0);}
static void __device_stub__Z5traitI5TwicefEvPT0_(float *__par0){__cudaLaunchPrologue(1);__cudaSetupArgSimple(__par0, 0UL);__cudaLaunch(((char *)((void ( *)(float *))trait<    ::Twice, float> )));}
template<> __specialization_static void __wrapper__device_stub_trait<    ::Twice, float> ( float *&__cuda_0){__device_stub__Z5traitI5TwicefEvPT0_( (float *&)__cuda_0);}
__attribute__((visibility("hidden"))) void __device_stub__Z7advancev(void){__cudaLaunchPrologue(1);__cudaLaunch(((char *)((void ( *)(void))advance)));}
# 113 "families.cu"
void advance(void)
# 113 "families.cu"
{__device_stub__Z7advancev(); }
# 1 "n_sm_80/families.cudafe1.stub.c"
static void __device_stub__Z4wideIfEvi4WideIT_EPS1_( int __par0,   _Z4WideIfE&__par1,  float *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArg(__par1, 4UL); __cudaSetupArgSimple(__par2, 8200UL); __cudaLaunch(((char *)((void ( *)(int,  _Z4WideIfE, float *))wide<float> ))); }
template<> __specialization_static void __wrapper__device_stub_wide<float> ( int &__cuda_0, _Z4WideIfE &__cuda_1,float *&__cuda_2){__device_stub__Z4wideIfEvi4WideIT_EPS1_( (int &)__cuda_0,( _Z4WideIfE &)__cuda_1,(float *&)__cuda_2);}
static void __device_stub__Z4wideIdEvi4WideIT_EPS1_( int __par0,   _Z4WideIdE&__par1,  double *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArg(__par1, 8UL); __cudaSetupArgSimple(__par2, 16392UL); __cudaLaunch(((char *)((void ( *)(int,  _Z4WideIdE, double *))wide<double> ))); }
template<> __specialization_static void __wrapper__device_stub_wide<double> ( int &__cuda_0, _Z4WideIdE &__cuda_1,double *&__cuda_2){__device_stub__Z4wideIdEvi4WideIT_EPS1_( (int &)__cuda_0,( _Z4WideIdE &)__cuda_1,(double *&)__cuda_2);}
static void __device_stub__ZN3geo6reduceILNS_2OpE0EfEEviT0_PS2_( int __par0,  float __par1,  float *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(int, float, float *))geo::reduce<( ::geo::Op)0, float> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_reduce<( ::geo::Op)0, float> ( int &__cuda_0,float &__cuda_1,float *&__cuda_2){__device_stub__ZN3geo6reduceILNS_2OpE0EfEEviT0_PS2_( (int &)__cuda_0,(float &)__cuda_1,(float *&)__cuda_2);}}
static void __device_stub__ZN3geo6reduceILNS_2OpE3EiEEviT0_PS2_( int __par0,  int __par1,  int *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(int, int, int *))geo::reduce<( ::geo::Op)3, int> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_reduce<( ::geo::Op)3, int> ( int &__cuda_0,int &__cuda_1,int *&__cuda_2){__device_stub__ZN3geo6reduceILNS_2OpE3EiEEviT0_PS2_( (int &)__cuda_0,(int &)__cuda_1,(int *&)__cuda_2);}}
static void __device_stub__ZN3geo6spreadIfLi2EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_(  _ZN3geo3VecIfLi2EEE&__par0,  float (*__par1)[2],  float *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaLaunch(((char *)((void ( *)( _ZN3geo3VecIfLi2EEE, float (&)[2], float *))geo::spread<float, (int)2> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_spread<float, (int)2> (  _ZN3geo3VecIfLi2EEE &__cuda_0,float (&__cuda_1)[2],float *&__cuda_2){__device_stub__ZN3geo6spreadIfLi2EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_( ( _ZN3geo3VecIfLi2EEE &)__cuda_0,__cudaAddressOf((float (&)[2])__cuda_1),(float *&)__cuda_2);}}
static void __device_stub__ZN3geo6spreadIdLi3EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_(  _ZN3geo3VecIdLi3EEE&__par0,  double (*__par1)[3],  double *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 24UL); __cudaSetupArgSimple(__par2, 32UL); __cudaLaunch(((char *)((void ( *)( _ZN3geo3VecIdLi3EEE, double (&)[3], double *))geo::spread<double, (int)3> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_spread<double, (int)3> (  _ZN3geo3VecIdLi3EEE &__cuda_0,double (&__cuda_1)[3],double *&__cuda_2){__device_stub__ZN3geo6spreadIdLi3EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_( ( _ZN3geo3VecIdLi3EEE &)__cuda_0,__cudaAddressOf((double (&)[3])__cuda_1),(double *&)__cuda_2);}}
static void __nv_cudaEntityRegisterCallback( void **__T8) {  __nv_dummy_param_ref(__T8); __nv_save_fatbinhandle_for_managed_rt(__T8); __cudaRegisterEntry(__T8, ((void ( *)( _ZN3geo3VecIdLi3EEE, double (&)[3], double *))geo::spread<double, (int)3> ), _ZN3geo6spreadIdLi3EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)( _ZN3geo3VecIfLi2EEE, float (&)[2], float *))geo::spread<float, (int)2> ), _ZN3geo6spreadIfLi2EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int, int, int *))geo::reduce<( ::geo::Op)3, int> ), _ZN3geo6reduceILNS_2OpE3EiEEviT0_PS2_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int, float, float *))geo::reduce<( ::geo::Op)0, float> ), _ZN3geo6reduceILNS_2OpE0EfEEviT0_PS2_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int,  _Z4WideIdE, double *))wide<double> ), _Z4wideIdEvi4WideIT_EPS1_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int,  _Z4WideIfE, float *))wide<float> ), _Z4wideIfEvi4WideIT_EPS1_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(void))advance), advance, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(float *))trait<    ::Twice, float> ), _Z5traitI5TwicefEvPT0_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int *))policy<    ::Tag, (int)4> ), _Z6policyI3TagLi4EEvPi, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int *))any_value<(char)99> ), _Z9any_valueILc99EEvPi, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int *))any_value<(int)3> ), _Z9any_valueILi3EEvPi, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int, float *))clear<short, (int)2> ), _Z5clearIsLi2EEviPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int, float *))clear<float, (int)1> ), _Z5clearIfLi1EEviPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int, const int *, float *))convert<int, float, (bool)0> ), _Z7convertIifLb0EEviPKT_PT0_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int, const float *, int *))convert<float, int, (bool)1> ), _Z7convertIfiLb1EEviPKT_PT0_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(int *))all_the_integer_types<(long long)-5000000000ll, (char)120, (short)3, (unsigned long)4ul, (unsigned long long)18446744073709551615ull, (signed char)-6, (unsigned char)7> ), _Z21all_the_integer_typesILxn5000000000ELc120ELs3ELm4ELy18446744073709551615ELan6ELh7EEvPi, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const void *, float *))mul_mat<(    ::quant_type)5, (int)48, (bool)0> ), _Z7mul_matIL10quant_type5ELi48ELb0EEvPKvPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const void *, float *))mul_mat<(    ::quant_type)10, (int)48, (bool)1> ), _Z7mul_matIL10quant_type10ELi48ELb1EEvPKvPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const void *, float *))mul_mat<(    ::quant_type)10, (int)48, (bool)0> ), _Z7mul_matIL10quant_type10ELi48ELb0EEvPKvPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const void *, float *))mul_mat<(    ::quant_type)8, (int)48, (bool)0> ), _Z7mul_matIL10quant_type8ELi48ELb0EEvPKvPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(float, float *))tile<(int)32, (unsigned int)4000000000u> ), _Z4tileILi32ELj4000000000EEvfPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(float, float *))tile<(int)16, (unsigned int)16u> ), _Z4tileILi16ELj16EEvfPf, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const struct __half *, struct __half *))sum<    ::__half, (int)8> ), _Z3sumI6__halfLi8EEvPKT_PS1_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const int *, int *))sum<int, (int)-1> ), _Z3sumIiLin1EEvPKT_PS0_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const float *, float *))sum<float, (int)16> ), _Z3sumIfLi16EEvPKT_PS0_, (-1)); __cudaRegisterEntry(__T8, ((void ( *)(const float *, float *))sum<float, (int)8> ), _Z3sumIfLi8EEvPKT_PS0_, (-1)); __cudaRegisterManagedVariable(__T8, __shadow_var(progress,::progress), 0, 4UL, 0, 0); __cudaRegisterManagedVariable(__T8, __shadow_var(_ZN3geo6boundsE,::geo::bounds), 0, 8UL, 0, 0); }
static void __sti____cudaRegisterAll(void) {  __cudaRegisterBinary(__nv_cudaEntityRegisterCallback);  }

#pragma GCC diagnostic pop
