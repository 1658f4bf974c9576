// SPDX-License-Identifier: MIT
// Flesh into a pack and out again. One list of arrays serves both ways.
#include "method/position/position.h"

// What sizes the arrays, as whole numbers in a file.
typedef struct Sizes
{
	const char* name;
	size_t offset;
	int32_t lower, upper;
} Sizes;

#define MOST ( 1 << 27 )
#define SIZE_OF( field, lower, upper )                                                                                 \
	{                                                                                                                  \
#field, offsetof( supPositionFlesh, field ), lower, upper                                                      \
	}

static const Sizes s_sizes[] = {
	SIZE_OF( particleCount, 1, MOST ), SIZE_OF( regionCount, 1, 1 << 20 ), SIZE_OF( influences, 1, SUP_MAX_INFLUENCES ),
	SIZE_OF( boneCount, 1, 65535 ),    SIZE_OF( partCount, 0, MOST ),      SIZE_OF( tetCount, 1, MOST ),
	SIZE_OF( solidCount, 0, MOST ),    SIZE_OF( edgeCount, 0, INT32_MAX ), SIZE_OF( bindCount, 0, INT32_MAX ),
	SIZE_OF( surfaceSize, 0, MOST ),
};

typedef struct Field
{
	const char* name;
	void* place; // of the pointer
	supPackType type;
	int64_t count;
	size_t itemSize; // bytes that count as one when copied
} Field;

#define MAX_FIELDS 40

static const char s_parameters[] = "parameters";

static void AddField( Field* fields, int32_t* count, const char* name, void* place, supPackType type, int64_t items )
{
	SUP_ASSERT( *count < MAX_FIELDS );
	fields[( *count )++] = ( Field ){ name, place, type, items, supPackItemSize( type ) };
}

// All arrays, sized by the numbers that the flesh has already.
static int32_t ListFields( supPositionFlesh* f, Field fields[MAX_FIELDS] )
{
	int32_t n = 0;
	int64_t padded = f->paddedCount;
	int64_t slots = (int64_t)f->particleCount * f->influences;
	int64_t domains = (int64_t)f->levels.starts[f->levels.count] + 1;
	int64_t parts = (int64_t)f->partCount + 1;
	AddField( fields, &n, "rest", &f->rest, sup_packF32, 3 * padded );
	AddField( fields, &n, "inverseMasses", &f->inverseMasses, sup_packF32, padded );
	AddField( fields, &n, "softness", &f->softness, sup_packF32, padded );
	AddField( fields, &n, "regions", &f->regions, sup_packI32, padded );
	AddField( fields, &n, "reaches", &f->reaches, sup_packF32, padded );
	AddField( fields, &n, "joints", &f->joints, sup_packU16, slots );
	AddField( fields, &n, "weights", &f->weights, sup_packF32, slots );
	AddField( fields, &n, "boneNodes", &f->boneNodes, sup_packI32, f->boneCount );
	AddField( fields, &n, "boneInverses", &f->boneInverses, sup_packF32, 12 * (int64_t)f->boneCount );
	AddField( fields, &n, "stretchStarts", &f->stretch.starts, sup_packI32, domains );
	AddField( fields, &n, "bindStarts", &f->bind.starts, sup_packI32, domains );
	AddField( fields, &n, "volumeStarts", &f->volume.starts, sup_packI32, domains );
	AddField( fields, &n, "stretchPacks", &f->stretchPacks, sup_packU32,
			  (int64_t)( sizeof( supStretchPack ) / 4 ) * f->stretch.packCount );
	AddField( fields, &n, "stretchSprings", &f->stretchSprings, sup_packF32,
			  (int64_t)( sizeof( supStretchSpring ) / 4 ) * f->stretch.packCount );
	AddField( fields, &n, "bindPacks", &f->bindPacks, sup_packU32,
			  (int64_t)( sizeof( supBindPack ) / 4 ) * f->bind.packCount );
	AddField( fields, &n, "bindSprings", &f->bindSprings, sup_packF32,
			  (int64_t)( sizeof( supBindSpring ) / 4 ) * f->bind.packCount );
	AddField( fields, &n, "bindBones", &f->bindBones, sup_packI32, SUP_PACK * (int64_t)f->bind.packCount );
	AddField( fields, &n, "bindAnchors", &f->bindAnchors, sup_packF32, 3 * SUP_PACK * (int64_t)f->bind.packCount );
	AddField( fields, &n, "volumePacks", &f->volumePacks, sup_packU32,
			  (int64_t)( sizeof( supVolumePack ) / 4 ) * f->volume.packCount );
	AddField( fields, &n, "volumeSprings", &f->volumeSprings, sup_packF32,
			  (int64_t)( sizeof( supVolumeSpring ) / 4 ) * f->volume.packCount );
	AddField( fields, &n, "tets", &f->tets, sup_packI32, 4 * (int64_t)f->tetCount );
	AddField( fields, &n, "partTriangles", &f->partTriangles, sup_packI32, parts );
	AddField( fields, &n, "partStarts", &f->partStarts, sup_packI32, parts );
	AddField( fields, &n, "partVolumes", &f->partVolumes, sup_packF64, f->partCount );
	AddField( fields, &n, "particleParts", &f->particleParts, sup_packI32, f->particleCount );
	AddField( fields, &n, s_parameters, &f->parameters, sup_packF32, sup_positionParameterCount );
	AddField( fields, &n, "tunings", &f->tunings, sup_packF32, 2 * (int64_t)f->regionCount );
	return n;
}

// Those whose size stands in another array.
static int32_t ListLateFields( supPositionFlesh* f, Field fields[MAX_FIELDS] )
{
	int32_t n = 0;
	AddField( fields, &n, "triangles", &f->triangles, sup_packI32, 3 * (int64_t)f->partTriangles[f->partCount] );
	AddField( fields, &n, "partParticles", &f->partParticles, sup_packI32, f->partStarts[f->partCount] );
	return n;
}

// ---------------------------------------------------------------------------------------------------------------------

void supPosition_SaveFlesh( const void* fleshPointer, supPackWriter* writer )
{
	// a copy of the structure: the list wants to be able to write
	supPositionFlesh flesh = *(const supPositionFlesh*)fleshPointer;
	for ( int32_t i = 0; i < SUP_COUNT( s_sizes ); ++i )
	{
		int32_t value;
		memcpy( &value, (const char*)&flesh + s_sizes[i].offset, sizeof( value ) );
		supPackWriter_AddInt( writer, s_sizes[i].name, value );
	}
	supPackWriter_AddInt( writer, "stretchCount", flesh.stretch.packCount );
	supPackWriter_AddInt( writer, "bindPackCount", flesh.bind.packCount );
	supPackWriter_AddInt( writer, "volumeCount", flesh.volume.packCount );
	supPackWriter_Add( writer, "levels", sup_packI32, flesh.levels.count + 1, flesh.levels.starts );
	supPackWriter_AddFloat( writer, "meanMass", flesh.meanMass );
	supPackWriter_AddFloat( writer, "edge", flesh.edge );
	supPackWriter_AddFloat( writer, "surfaceResponse", flesh.surfaceResponse );
	supPackWriter_Add( writer, "surfaceVolume", sup_packF64, 1, &flesh.surfaceVolume );
	for ( int32_t late = 0; late < 2; ++late )
	{
		Field fields[MAX_FIELDS];
		int32_t count = late == 0 ? ListFields( &flesh, fields ) : ListLateFields( &flesh, fields );
		for ( int32_t i = 0; i < count; ++i )
		{
			const void* items;
			memcpy( &items, fields[i].place, sizeof( items ) );
			supPackWriter_Add( writer, fields[i].name, fields[i].type, fields[i].count, items );
		}
	}
	supPackWriter_Enter( writer, "surface" );
	supSurfaceBinding_Save( &flesh.binding, writer );
	supPackWriter_Leave( writer );
}

static bool LoadSizes( supPositionFlesh* flesh, supPackReader* reader )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_sizes ); ++i )
	{
		int32_t value = supPackReader_GetInt( reader, s_sizes[i].name, s_sizes[i].lower, s_sizes[i].upper );
		memcpy( (char*)flesh + s_sizes[i].offset, &value, sizeof( value ) );
	}
	flesh->stretch.packCount = supPackReader_GetInt( reader, "stretchCount", 0, MOST );
	flesh->bind.packCount = supPackReader_GetInt( reader, "bindPackCount", 0, MOST );
	flesh->volume.packCount = supPackReader_GetInt( reader, "volumeCount", 0, MOST );
	flesh->meanMass = supPackReader_GetFloat( reader, "meanMass" );
	flesh->edge = supPackReader_GetFloat( reader, "edge" );
	flesh->surfaceResponse = supPackReader_GetFloat( reader, "surfaceResponse" );
	flesh->paddedCount = ( flesh->particleCount + SUP_PACK - 1 ) / SUP_PACK * SUP_PACK;
	int64_t levels = supPackReader_Count( reader, "levels" );
	if ( reader->failed || levels < 2 || levels > SUP_MAX_LEVELS + 1 )
	{
		return reader->failed == false && supPackReader_Refuse( reader, "levels", "%d levels", (int)levels );
	}
	const int32_t* starts = supPackReader_GetInts( reader, "levels", levels, 0, SUP_MAX_DOMAINS * SUP_MAX_LEVELS );
	const double* volume = supPackReader_Get( reader, "surfaceVolume", sup_packF64, 1 );
	if ( reader->failed )
	{
		return false;
	}
	flesh->levels.count = (int32_t)levels - 1;
	memcpy( flesh->levels.starts, starts, (size_t)levels * sizeof( int32_t ) );
	flesh->surfaceVolume = *volume;
	return true;
}

static bool LoadFields( supPositionFlesh* flesh, supPackReader* reader, const Field* fields, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const void* items = fields[i].type == sup_packF32
								? supPackReader_GetFloats( reader, fields[i].name, fields[i].count )
								: supPackReader_Get( reader, fields[i].name, fields[i].type, fields[i].count );
		if ( items == NULL )
		{
			return false;
		}
		void* copy = supArena_CopyArray( &flesh->arena, items, (size_t)fields[i].count, fields[i].itemSize );
		memcpy( fields[i].place, &copy, sizeof( copy ) );
	}
	return flesh->arena.failed == false || supSetMemoryError( reader->error );
}

// Runs that begin at 0, never fall, and end at `end`.
static bool AreStarts( const int32_t* starts, int64_t count, int32_t end )
{
	bool ok = starts[0] == 0 && starts[count - 1] == end;
	for ( int64_t i = 1; i < count; ++i )
	{
		ok = ok && starts[i] >= starts[i - 1];
	}
	return ok;
}

static bool AreBelow( const int32_t* values, int64_t count, int32_t end )
{
	bool ok = true;
	for ( int64_t i = 0; i < count; ++i )
	{
		ok = ok && values[i] >= 0 && values[i] < end;
	}
	return ok;
}

// `width` offsets at the beginning of each pack of `size` words.
static bool AreOffsets( const void* packs, int64_t count, size_t size, size_t width, int32_t particleCount )
{
	const uint32_t* words = packs;
	bool ok = true;
	for ( int64_t i = 0; i < count; ++i, words += size / 4 )
	{
		for ( size_t k = 0; k < width; ++k )
		{
			ok = ok && words[k] % 16 == 0 && words[k] / 16 < (uint32_t)particleCount;
		}
	}
	return ok;
}

static const char* FindBadField( const supPositionFlesh* f, const supCharacter* character )
{
	int64_t domains = (int64_t)f->levels.starts[f->levels.count] + 1;
	int32_t n = f->particleCount;
	for ( int64_t i = 0; i < (int64_t)n * f->influences; ++i )
	{
		if ( f->joints[i] >= f->boneCount )
		{
			return "joints";
		}
	}
	if ( f->levels.starts[0] != 0 || f->levels.starts[1] < 1 ||
		 AreStarts( f->levels.starts, f->levels.count + 1, f->levels.starts[f->levels.count] ) == false )
	{
		return "levels";
	}
	if ( f->solidCount > f->tetCount )
	{
		return "solidCount";
	}
	return AreBelow( f->regions, n, f->regionCount ) == false                                     ? "regions"
		   : AreBelow( f->particleParts, n, f->partCount ) == false                               ? "particleParts"
		   : AreBelow( f->boneNodes, f->boneCount, supCharacter_NodeCount( character ) ) == false ? "boneNodes"
		   : AreStarts( f->stretch.starts, domains, f->stretch.packCount ) == false               ? "stretchStarts"
		   : AreStarts( f->bind.starts, domains, f->bind.packCount ) == false                     ? "bindStarts"
		   : AreStarts( f->volume.starts, domains, f->volume.packCount ) == false                 ? "volumeStarts"
		   : AreOffsets( f->stretchPacks, f->stretch.packCount, sizeof( supStretchPack ), 16, n ) == false
			   ? "stretchPacks"
		   : AreOffsets( f->bindPacks, f->bind.packCount, sizeof( supBindPack ), 8, n ) == false        ? "bindPacks"
		   : AreOffsets( f->volumePacks, f->volume.packCount, sizeof( supVolumePack ), 32, n ) == false ? "volumePacks"
		   : AreBelow( f->bindBones, SUP_PACK * (int64_t)f->bind.packCount, f->boneCount ) == false     ? "bindBones"
		   : AreBelow( f->tets, 4 * (int64_t)f->tetCount, n ) == false                                  ? "tets"
		   : AreStarts( f->partTriangles, (int64_t)f->partCount + 1, f->partTriangles[f->partCount] ) == false
			   ? "partTriangles"
		   : AreStarts( f->partStarts, (int64_t)f->partCount + 1, f->partStarts[f->partCount] ) == false ? "partStarts"
																										 : NULL;
}

int32_t supPosition_LargestMesh( const supCharacter* character )
{
	int32_t most = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		most = mesh->vertexCount > most ? mesh->vertexCount : most;
	}
	return most;
}

static bool LoadAll( supPositionFlesh* flesh, supPackReader* reader, const supCharacter* character )
{
	Field fields[MAX_FIELDS];
	if ( LoadSizes( flesh, reader ) == false ||
		 LoadFields( flesh, reader, fields, ListFields( flesh, fields ) ) == false )
	{
		return false;
	}
	if ( supReadParameters( reader, s_parameters, &supMethod_position ) == NULL )
	{
		return false;
	}
	const char* bad = FindBadField( flesh, character );
	if ( bad != NULL )
	{
		return supPackReader_Refuse( reader, bad, "out of range" );
	}
	if ( LoadFields( flesh, reader, fields, ListLateFields( flesh, fields ) ) == false )
	{
		return false;
	}
	if ( AreBelow( flesh->triangles, 3 * (int64_t)flesh->partTriangles[flesh->partCount], flesh->particleCount ) ==
			 false ||
		 AreBelow( flesh->partParticles, flesh->partStarts[flesh->partCount], flesh->particleCount ) == false )
	{
		return supPackReader_Refuse( reader, "triangles", "out of range" );
	}
	if ( flesh->surfaceSize != supPosition_LargestMesh( character ) )
	{
		return supPackReader_Refuse( reader, "surfaceSize", "not that of the character; build the file again" );
	}
	flesh->nodeCount = supCharacter_NodeCount( character );
	flesh->mode = (supPositionMode)(int32_t)( flesh->parameters[sup_positionMode] > 0.5f );
	flesh->start = flesh->parameters[sup_positionStart] > 0.5f ? sup_skinningDualQuaternion : sup_skinningLinear;
	supPackReader_Enter( reader, "surface" );
	bool ok = supSurfaceBinding_Load( &flesh->binding, reader, character, flesh->particleCount, 4 );
	supPackReader_Leave( reader );
	return ok;
}

void* supPosition_LoadFlesh( supPackReader* reader, const supCharacter* character )
{
	supPositionFlesh* flesh = supAllocZeroed( sizeof( supPositionFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( reader->error );
		return NULL;
	}
	if ( LoadAll( flesh, reader, character ) == false )
	{
		supPosition_DestroyFlesh( flesh );
		return NULL;
	}
	return flesh;
}
