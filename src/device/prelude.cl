// What C headers expect, for OpenCL C. A lane of a wide register is a work-item here: wide types are plain floats.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef SUP_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

#define SUP_DEVICE_CODE 1

typedef char int8_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define SUP_API
#define SUP_LITERAL( type ) ( type )
#define SUP_INLINE static inline
#define SUP_WIDE static inline
#define SUP_UNLIKELY( x ) ( x )
#define SUP_LIKELY( x ) ( x )
#define sqrtf sqrt
#define fabsf fabs

typedef float supFloat8;
typedef int supInt8;
typedef float4 supFloat4;
typedef float Wide;
typedef int WideInt;

typedef struct Vec3W
{
	float x, y, z;
} Vec3W;

typedef struct QuatW
{
	float x, y, z, w;
} QuatW;

#define Splat( a ) ( a )
#define Sqrt( a ) sqrt( a )
#define Select( mask, a, b ) ( ( mask ) ? ( a ) : ( b ) )
#define supSplat8( a ) ( a )
#define supSqrt8( a ) sqrt( a )
#define supSelect8( mask, a, b ) ( ( mask ) ? ( a ) : ( b ) )
#define supMax8( a, b ) ( ( a ) > ( b ) ? ( a ) : ( b ) )
#define supMaskBits8( mask ) ( ( mask ) != 0 ? 1u : 0u )
#define supSplat4( a ) ( (float4)( a, a, a, a ) )
#define SUP_LANE( v, i ) ( ( v ).s##i )

// A CPU has a work-group of one work-item, which waits for nobody: barriers would only keep its compiler busy.
#ifdef SUP_ONE_ITEM
#define MEET()
#define MEET_LOCAL()
#else
#define MEET() barrier( CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE )
#define MEET_LOCAL() barrier( CLK_LOCAL_MEM_FENCE )
#endif
