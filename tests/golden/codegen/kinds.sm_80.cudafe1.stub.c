#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define __NV_CUBIN_HANDLE_STORAGE__ static
#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#endif
#include "crt/host_runtime.h"
#include "kinds.fatbin.c"
typedef geo::Mode _ZN3geo4ModeE;
typedef geo::Ray _ZN3geo3RayE;
typedef geo::Vec<float, (int)4>  _ZN3geo3VecIfLi4EEE;
extern __attribute__((visibility("hidden"))) void __device_stub__Z5saxpyifPKfPf(int, float, const float *__restrict__, float *__restrict__);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7scalarsbcahstijlmxymfdwDsDinPd(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, size_t, float, double, wchar_t, char16_t, char32_t, __int128, double *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z6halves6__half13__nv_bfloat1613__nv_fp8_e4m313__nv_fp8_e5m27__half214__nv_bfloat162PKS_PS0_(struct __half&, struct __nv_bfloat16&, struct __nv_fp8_e4m3&, struct __nv_fp8_e5m2&, struct __half2&, struct __nv_bfloat162&, const struct __half *, struct __nv_bfloat16 *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7vectors5char36uchar46short24int36float26float36float47double210ulonglong24dim3PS5_(struct char3&, struct uchar4&, struct short2&, struct int3&, struct float2&, struct float3&, struct float4&, struct double2&, struct ulonglong2&, struct dim3&, struct float4 *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7records5ShapeN3geo3RayE7Aligned6Packed4Bits6Number5Empty4NodeNS0_3VecIfLi4EEEPf(struct Shape&,  _ZN3geo3RayE&, struct Aligned&, struct Packed&, struct Bits&, union Number&, struct Empty&, struct Node&,  _ZN3geo3VecIfLi4EEE&, float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z3big3BigPf(struct Big&, float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z5enums5LevelN3geo4ModeEPi(enum Level,  _ZN3geo4ModeE, int *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z8pointersPvPKvPPfPA4_fPViP5ShapeP6HiddenRi(void *, const void *, float **, float (*)[4], volatile int *, struct Shape *, struct Hidden *, int *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7nothingv(void);
extern __attribute__((visibility("hidden"))) void __device_stub__Z8keywordsiiiiiiPi(int, int, int, int, int, int, int *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4loadPf(float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4copyiPi(int, int *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z4copyfPf(float, float *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z7unnamedifPi(int, float, int *);
static void __device_stub__Z4packIJifEEvPiDpT_(int *, int, float);
static void __device_stub__ZN3geo5scaleIfEEviT_PKS1_PS1_(int, float, const float *, float *);
static void __device_stub__ZN3geo5scaleIdEEviT_PKS1_PS1_(int, double, const double *, double *);
static void __device_stub__ZN3geo5scaleI6__halfEEviT_PKS2_PS2_(int, struct __half&, const struct __half *, struct __half *);
static void __device_stub__ZN3geo6reduceIfLi8EEEvPKT_PS1_(const float *, float *);
static void __device_stub__ZN3geo6reduceIiLi8EEEvPKT_PS1_(const int *, int *);
static void __nv_cudaEntityRegisterCallback(void **);
static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));
__attribute__((visibility("hidden"))) void __device_stub__Z5saxpyifPKfPf(int __par0, float __par1, const float *__restrict__ __par2, float *__restrict__ __par3){ const float *__T8;
 float *__T9;
__cudaLaunchPrologue(4);__cudaSetupArgSimple(__par0, 0UL);__cudaSetupArgSimple(__par1, 4UL);__T8 = __par2;__cudaSetupArgSimple(__T8, 8UL);__T9 = __par3;__cudaSetupArgSimple(__T9, 16UL);__cudaLaunch(((char *)((void ( *)(int, float, const float *__restrict__, float *__restrict__))saxpy)));}
# 71 "kinds.cu"
void saxpy( int __cuda_0,float __cuda_1,const float *__restrict__ __cuda_2,float *__restrict__ __cuda_3)
# 71 "kinds.cu"
{__device_stub__Z5saxpyifPKfPf( __cuda_0,__cuda_1,__cuda_2,__cuda_3);


}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7scalarsbcahstijlmxymfdwDsDinPd( bool __par0,  char __par1,  signed char __par2,  unsigned char __par3,  short __par4,  unsigned short __par5,  int __par6,  unsigned __par7,  long __par8,  unsigned long __par9,  long long __par10,  unsigned long long __par11,  size_t __par12,  float __par13,  double __par14,  wchar_t __par15,  char16_t __par16,  char32_t __par17,  __int128 __par18,  double *__par19) {  __cudaLaunchPrologue(20); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 1UL); __cudaSetupArgSimple(__par2, 2UL); __cudaSetupArgSimple(__par3, 3UL); __cudaSetupArgSimple(__par4, 4UL); __cudaSetupArgSimple(__par5, 6UL); __cudaSetupArgSimple(__par6, 8UL); __cudaSetupArgSimple(__par7, 12UL); __cudaSetupArgSimple(__par8, 16UL); __cudaSetupArgSimple(__par9, 24UL); __cudaSetupArgSimple(__par10, 32UL); __cudaSetupArgSimple(__par11, 40UL); __cudaSetupArgSimple(__par12, 48UL); __cudaSetupArgSimple(__par13, 56UL); __cudaSetupArgSimple(__par14, 64UL); __cudaSetupArgSimple(__par15, 72UL); __cudaSetupArgSimple(__par16, 76UL); __cudaSetupArgSimple(__par17, 80UL); __cudaSetupArgSimple(__par18, 96UL); __cudaSetupArgSimple(__par19, 112UL); __cudaLaunch(((char *)((void ( *)(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, size_t, float, double, wchar_t, char16_t, char32_t, __int128, double *))scalars))); }
# 76 "kinds.cu"
void scalars( bool __cuda_0,char __cuda_1,signed char __cuda_2,unsigned char __cuda_3,short __cuda_4,unsigned short __cuda_5,int __cuda_6,unsigned __cuda_7,long __cuda_8,unsigned long __cuda_9,long long __cuda_10,unsigned long long __cuda_11,::size_t __cuda_12,float __cuda_13,double __cuda_14,wchar_t __cuda_15,char16_t __cuda_16,char32_t __cuda_17,__int128 __cuda_18,double *__cuda_19)
# 79 "kinds.cu"
{__device_stub__Z7scalarsbcahstijlmxymfdwDsDinPd( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8,__cuda_9,__cuda_10,__cuda_11,__cuda_12,__cuda_13,__cuda_14,__cuda_15,__cuda_16,__cuda_17,__cuda_18,__cuda_19);

}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z6halves6__half13__nv_bfloat1613__nv_fp8_e4m313__nv_fp8_e5m27__half214__nv_bfloat162PKS_PS0_( struct __half&__par0,  struct __nv_bfloat16&__par1,  struct __nv_fp8_e4m3&__par2,  struct __nv_fp8_e5m2&__par3,  struct __half2&__par4,  struct __nv_bfloat162&__par5,  const struct __half *__par6,  struct __nv_bfloat16 *__par7) {  __cudaLaunchPrologue(8); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 2UL); __cudaSetupArg(__par2, 4UL); __cudaSetupArg(__par3, 5UL); __cudaSetupArg(__par4, 8UL); __cudaSetupArg(__par5, 12UL); __cudaSetupArgSimple(__par6, 16UL); __cudaSetupArgSimple(__par7, 24UL); __cudaLaunch(((char *)((void ( *)(struct __half, struct __nv_bfloat16, struct __nv_fp8_e4m3, struct __nv_fp8_e5m2, struct __half2, struct __nv_bfloat162, const struct __half *, struct __nv_bfloat16 *))halves))); }
# 83 "kinds.cu"
void halves( struct ::__half __cuda_0,struct ::__nv_bfloat16 __cuda_1,struct ::__nv_fp8_e4m3 __cuda_2,struct ::__nv_fp8_e5m2 __cuda_3,struct ::__half2 __cuda_4,struct ::__nv_bfloat162 __cuda_5,const struct ::__half *__cuda_6,struct ::__nv_bfloat16 *__cuda_7)
# 84 "kinds.cu"
{__device_stub__Z6halves6__half13__nv_bfloat1613__nv_fp8_e4m313__nv_fp8_e5m27__half214__nv_bfloat162PKS_PS0_( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7);


}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7vectors5char36uchar46short24int36float26float36float47double210ulonglong24dim3PS5_( struct char3&__par0,  struct uchar4&__par1,  struct short2&__par2,  struct int3&__par3,  struct float2&__par4,  struct float3&__par5,  struct float4&__par6,  struct double2&__par7,  struct ulonglong2&__par8,  struct dim3&__par9,  struct float4 *__par10) {  __cudaLaunchPrologue(11); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 4UL); __cudaSetupArg(__par2, 8UL); __cudaSetupArg(__par3, 12UL); __cudaSetupArg(__par4, 24UL); __cudaSetupArg(__par5, 32UL); __cudaSetupArg(__par6, 48UL); __cudaSetupArg(__par7, 64UL); __cudaSetupArg(__par8, 80UL); __cudaSetupArg(__par9, 96UL); __cudaSetupArgSimple(__par10, 112UL); __cudaLaunch(((char *)((void ( *)(struct char3, struct uchar4, struct short2, struct int3, struct float2, struct float3, struct float4, struct double2, struct ulonglong2, struct dim3, struct float4 *))vectors))); }
# 89 "kinds.cu"
void vectors( struct ::char3 __cuda_0,struct ::uchar4 __cuda_1,struct ::short2 __cuda_2,struct ::int3 __cuda_3,struct ::float2 __cuda_4,struct ::float3 __cuda_5,struct ::float4 __cuda_6,struct ::double2 __cuda_7,struct ::ulonglong2 __cuda_8,struct ::dim3 __cuda_9,struct ::float4 *__cuda_10)
# 90 "kinds.cu"
{__device_stub__Z7vectors5char36uchar46short24int36float26float36float47double210ulonglong24dim3PS5_( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8,__cuda_9,__cuda_10);

}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7records5ShapeN3geo3RayE7Aligned6Packed4Bits6Number5Empty4NodeNS0_3VecIfLi4EEEPf( struct Shape&__par0,   _ZN3geo3RayE&__par1,  struct Aligned&__par2,  struct Packed&__par3,  struct Bits&__par4,  union Number&__par5,  struct Empty&__par6,  struct Node&__par7,   _ZN3geo3VecIfLi4EEE&__par8,  float *__par9) {  __cudaLaunchPrologue(10); __cudaSetupArg(__par0, 0UL); __cudaSetupArg(__par1, 16UL); __cudaSetupArg(__par2, 48UL); __cudaSetupArg(__par3, 80UL); __cudaSetupArg(__par4, 88UL); __cudaSetupArgSimple(__par5, 104UL); __cudaSetupArg(__par6, 112UL); __cudaSetupArg(__par7, 120UL); __cudaSetupArg(__par8, 184UL); __cudaSetupArgSimple(__par9, 200UL); __cudaLaunch(((char *)((void ( *)(struct Shape,  _ZN3geo3RayE, struct Aligned, struct Packed, struct Bits, union Number, struct Empty, struct Node,  _ZN3geo3VecIfLi4EEE, float *))records))); }
# 94 "kinds.cu"
void records( struct ::Shape __cuda_0, _ZN3geo3RayE __cuda_1,struct ::Aligned __cuda_2,struct ::Packed __cuda_3,struct ::Bits __cuda_4,union ::Number __cuda_5,struct ::Empty __cuda_6,struct ::Node __cuda_7, _ZN3geo3VecIfLi4EEE __cuda_8,float *__cuda_9)
# 95 "kinds.cu"
{__device_stub__Z7records5ShapeN3geo3RayE7Aligned6Packed4Bits6Number5Empty4NodeNS0_3VecIfLi4EEEPf( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cuda_7,__cuda_8,__cuda_9);

}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z3big3BigPf( struct Big&__par0,  float *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 6000UL); __cudaLaunch(((char *)((void ( *)(struct Big, float *))big))); }
# 99 "kinds.cu"
void big( struct ::Big __cuda_0,float *__cuda_1)
# 99 "kinds.cu"
{__device_stub__Z3big3BigPf( __cuda_0,__cuda_1); }
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z5enums5LevelN3geo4ModeEPi( enum Level __par0,   _ZN3geo4ModeE __par1,  int *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(enum Level,  _ZN3geo4ModeE, int *))enums))); }
# 101 "kinds.cu"
void enums( enum ::Level __cuda_0, _ZN3geo4ModeE __cuda_1,int *__cuda_2)
# 101 "kinds.cu"
{__device_stub__Z5enums5LevelN3geo4ModeEPi( __cuda_0,__cuda_1,__cuda_2); }
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z8pointersPvPKvPPfPA4_fPViP5ShapeP6HiddenRi( void *__par0,  const void *__par1,  float **__par2,  float (*__par3)[4],  volatile int *__par4,  struct Shape *__par5,  struct Hidden *__par6,  int *__par7) {  __cudaLaunchPrologue(8); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaSetupArgSimple(__par3, 24UL); __cudaSetupArgSimple(__par4, 32UL); __cudaSetupArgSimple(__par5, 40UL); __cudaSetupArgSimple(__par6, 48UL); __cudaSetupArgSimple(__par7, 56UL); __cudaLaunch(((char *)((void ( *)(void *, const void *, float **, float (*)[4], volatile int *, struct Shape *, struct Hidden *, int &))pointers))); }
# 103 "kinds.cu"
void pointers( void *__cuda_0,const void *__cuda_1,float **__cuda_2,float (*__cuda_3)[4],volatile int *__cuda_4,struct ::Shape *__cuda_5,struct ::Hidden *__cuda_6,int &__cuda_7)
# 104 "kinds.cu"
{__device_stub__Z8pointersPvPKvPPfPA4_fPViP5ShapeP6HiddenRi( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6,__cudaAddressOf(__cuda_7));

}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7nothingv(void) {  __cudaLaunchPrologue(1); __cudaLaunch(((char *)((void ( *)(void))nothing))); }
# 108 "kinds.cu"
void nothing(void)
# 108 "kinds.cu"
{__device_stub__Z7nothingv(); }
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z8keywordsiiiiiiPi( int __par0,  int __par1,  int __par2,  int __par3,  int __par4,  int __par5,  int *__par6) {  __cudaLaunchPrologue(7); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaSetupArgSimple(__par3, 12UL); __cudaSetupArgSimple(__par4, 16UL); __cudaSetupArgSimple(__par5, 20UL); __cudaSetupArgSimple(__par6, 24UL); __cudaLaunch(((char *)((void ( *)(int, int, int, int, int, int, int *))keywords))); }
# 110 "kinds.cu"
void keywords( int __cuda_0,int __cuda_1,int __cuda_2,int __cuda_3,int __cuda_4,int __cuda_5,int *__cuda_6)
# 110 "kinds.cu"
{__device_stub__Z8keywordsiiiiiiPi( __cuda_0,__cuda_1,__cuda_2,__cuda_3,__cuda_4,__cuda_5,__cuda_6);

}
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4loadPf( float *__par0) {  __cudaLaunchPrologue(1); __cudaSetupArgSimple(__par0, 0UL); __cudaLaunch(((char *)((void ( *)(float *))load))); }
# 114 "kinds.cu"
void load( float *__cuda_0)
# 114 "kinds.cu"
{__device_stub__Z4loadPf( __cuda_0); }
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4copyiPi( int __par0,  int *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(int, int *))copy))); }
# 136 "kinds.cu"
void copy( int __cuda_0,int *__cuda_1)
# 136 "kinds.cu"
{__device_stub__Z4copyiPi( __cuda_0,__cuda_1); }
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z4copyfPf( float __par0,  float *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(float, float *))copy))); }
# 137 "kinds.cu"
void copy( float __cuda_0,float *__cuda_1)
# 137 "kinds.cu"
{__device_stub__Z4copyfPf( __cuda_0,__cuda_1); }
# 1 "kinds.cudafe1.stub.c"
__attribute__((visibility("hidden"))) void __device_stub__Z7unnamedifPi( int __par0,  float __par1,  int *__par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaLaunch(((char *)((void ( *)(int, float, int *))unnamed))); }
# 139 "kinds.cu"
void unnamed( int __cuda_0,float __cuda_1,int *__cuda_2)
# 139 "kinds.cu"
{__device_stub__Z7unnamedifPi( __cuda_0,__cuda_1,__cuda_2); }
# 1 "kinds.cudafe1.stub.c"
static void __device_stub__Z4packIJifEEvPiDpT_( int *__par0,  int __par1,  float __par2) {  __cudaLaunchPrologue(3); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 12UL); __cudaLaunch(((char *)((void ( *)(int *, int, float))pack<int, float > ))); }
template<> __specialization_static void __wrapper__device_stub_pack<int, float > ( int *&__cuda_0,int &__cuda_1,float &__cuda_2){__device_stub__Z4packIJifEEvPiDpT_( (int *&)__cuda_0,(int &)__cuda_1,(float &)__cuda_2);}
static void __device_stub__ZN3geo5scaleIfEEviT_PKS1_PS1_( int __par0,  float __par1,  const float *__par2,  float *__par3) {  __cudaLaunchPrologue(4); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaSetupArgSimple(__par3, 16UL); __cudaLaunch(((char *)((void ( *)(int, float, const float *, float *))geo::scale<float> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_scale<float> ( int &__cuda_0,float &__cuda_1,const float *&__cuda_2,float *&__cuda_3){__device_stub__ZN3geo5scaleIfEEviT_PKS1_PS1_( (int &)__cuda_0,(float &)__cuda_1,(const float *&)__cuda_2,(float *&)__cuda_3);}}
static void __device_stub__ZN3geo5scaleIdEEviT_PKS1_PS1_( int __par0,  double __par1,  const double *__par2,  double *__par3) {  __cudaLaunchPrologue(4); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaSetupArgSimple(__par2, 16UL); __cudaSetupArgSimple(__par3, 24UL); __cudaLaunch(((char *)((void ( *)(int, double, const double *, double *))geo::scale<double> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_scale<double> ( int &__cuda_0,double &__cuda_1,const double *&__cuda_2,double *&__cuda_3){__device_stub__ZN3geo5scaleIdEEviT_PKS1_PS1_( (int &)__cuda_0,(double &)__cuda_1,(const double *&)__cuda_2,(double *&)__cuda_3);}}
static void __device_stub__ZN3geo5scaleI6__halfEEviT_PKS2_PS2_( int __par0,  struct __half&__par1,  const struct __half *__par2,  struct __half *__par3) {  __cudaLaunchPrologue(4); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArg(__par1, 4UL); __cudaSetupArgSimple(__par2, 8UL); __cudaSetupArgSimple(__par3, 16UL); __cudaLaunch(((char *)((void ( *)(int, struct __half, const struct __half *, struct __half *))geo::scale<    ::__half> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_scale<    ::__half> ( int &__cuda_0,struct ::__half &__cuda_1,const struct ::__half *&__cuda_2,struct ::__half *&__cuda_3){__device_stub__ZN3geo5scaleI6__halfEEviT_PKS2_PS2_( (int &)__cuda_0,(struct ::__half &)__cuda_1,(const struct ::__half *&)__cuda_2,(struct ::__half *&)__cuda_3);}}
static void __device_stub__ZN3geo6reduceIfLi8EEEvPKT_PS1_( const float *__par0,  float *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(const float *, float *))geo::reduce<float, (int)8> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_reduce<float, (int)8> ( const float *&__cuda_0,float *&__cuda_1){__device_stub__ZN3geo6reduceIfLi8EEEvPKT_PS1_( (const float *&)__cuda_0,(float *&)__cuda_1);}}
static void __device_stub__ZN3geo6reduceIiLi8EEEvPKT_PS1_( const int *__par0,  int *__par1) {  __cudaLaunchPrologue(2); __cudaSetupArgSimple(__par0, 0UL); __cudaSetupArgSimple(__par1, 8UL); __cudaLaunch(((char *)((void ( *)(const int *, int *))geo::reduce<int, (int)8> ))); }
namespace geo{
template<> __specialization_static void __wrapper__device_stub_reduce<int, (int)8> ( const int *&__cuda_0,int *&__cuda_1){__device_stub__ZN3geo6reduceIiLi8EEEvPKT_PS1_( (const int *&)__cuda_0,(int *&)__cuda_1);}}
static void __nv_cudaEntityRegisterCallback( void **__T24) {  __nv_dummy_param_ref(__T24); __nv_save_fatbinhandle_for_managed_rt(__T24); __cudaRegisterEntry(__T24, ((void ( *)(const int *, int *))geo::reduce<int, (int)8> ), _ZN3geo6reduceIiLi8EEEvPKT_PS1_, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(const float *, float *))geo::reduce<float, (int)8> ), _ZN3geo6reduceIfLi8EEEvPKT_PS1_, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int, struct __half, const struct __half *, struct __half *))geo::scale<    ::__half> ), _ZN3geo5scaleI6__halfEEviT_PKS2_PS2_, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int, double, const double *, double *))geo::scale<double> ), _ZN3geo5scaleIdEEviT_PKS1_PS1_, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int, float, const float *, float *))geo::scale<float> ), _ZN3geo5scaleIfEEviT_PKS1_PS1_, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int *, int, float))pack<int, float > ), _Z4packIJifEEvPiDpT_, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int, float, int *))unnamed), unnamed, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(float, float *))copy), _Z4copyfPf, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int, int *))copy), _Z4copyiPi, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(float *))load), load, 128); __cudaRegisterEntry(__T24, ((void ( *)(int, int, int, int, int, int, int *))keywords), keywords, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(void))nothing), nothing, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(void *, const void *, float **, float (*)[4], volatile int *, struct Shape *, struct Hidden *, int &))pointers), pointers, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(enum Level,  _ZN3geo4ModeE, int *))enums), enums, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(struct Big, float *))big), big, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(struct Shape,  _ZN3geo3RayE, struct Aligned, struct Packed, struct Bits, union Number, struct Empty, struct Node,  _ZN3geo3VecIfLi4EEE, float *))records), records, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(struct char3, struct uchar4, struct short2, struct int3, struct float2, struct float3, struct float4, struct double2, struct ulonglong2, struct dim3, struct float4 *))vectors), vectors, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(struct __half, struct __nv_bfloat16, struct __nv_fp8_e4m3, struct __nv_fp8_e5m2, struct __half2, struct __nv_bfloat162, const struct __half *, struct __nv_bfloat16 *))halves), halves, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, size_t, float, double, wchar_t, char16_t, char32_t, __int128, double *))scalars), scalars, (-1)); __cudaRegisterEntry(__T24, ((void ( *)(int, float, const float *__restrict__, float *__restrict__))saxpy), saxpy, (-1)); }
static void __sti____cudaRegisterAll(void) {  __cudaRegisterBinary(__nv_cudaEntityRegisterCallback);  }

#pragma GCC diagnostic pop
