// SPDX-License-Identifier: MIT
#include "io/tets/lattice_file.h"

#include "io/common/file.h"
#include "io/settings/settings.h"

#define MAX_BYTES ( 256u << 20 )
#define MAX_ITEMS ( 1 << 22 )

typedef struct Reader
{
	supArena arena;
	const supCharacter* character;
	const supMat34* worlds;
	supControlLatticeArrays arrays;
} Reader;

// ---------------------------------------------------------------------------------------------------------------------
// Reading

// An array of the file; missing ones are empty.
static bool CountItems( const supJsonPlace* root, const char* key, bool isNeeded, supJsonPlace* place, int32_t* count )
{
	*place = supJsonPlace_Get( root, key );
	*count = 0;
	if ( place->value == NULL && isNeeded == false )
	{
		return true;
	}
	size_t size = json_array_size( place->value );
	if ( json_is_array( place->value ) == false || size > MAX_ITEMS )
	{
		return supJsonPlace_Refuse( place, "missing, or not a list of at most %d items", MAX_ITEMS );
	}
	*count = (int32_t)size;
	return true;
}

// So many numbers in a list, finite and not large.
static bool ReadNumbers( const supJsonPlace* place, double* numbers, size_t count )
{
	bool ok = json_is_array( place->value ) && json_array_size( place->value ) == count;
	for ( size_t i = 0; i < count && ok; ++i )
	{
		const json_t* item = json_array_get( place->value, i );
		numbers[i] = json_number_value( item );
		ok = json_is_number( item ) && numbers[i] >= -1e18 && numbers[i] <= 1e18;
	}
	return ok ? true : supJsonPlace_Refuse( place, "must be a list of %zu numbers", count );
}

static bool ReadIndex( const supJsonPlace* list, size_t index, int32_t count, const char* what, int32_t* out )
{
	int64_t value = supJson_IndexAt( list->value, index );
	if ( value < 0 || value >= count )
	{
		supJsonPlace place = supJsonPlace_At( list, index );
		return supJsonPlace_Refuse( &place, "must be the index of a %s below %d", what, count );
	}
	*out = (int32_t)value;
	return true;
}

static bool ReadVertices( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace list;
	if ( CountItems( root, "vertices", true, &list, &reader->arrays.vertexCount ) == false )
	{
		return false;
	}
	supVec3* vertices = supArena_AllocArray( &reader->arena, (size_t)reader->arrays.vertexCount, sizeof( supVec3 ) );
	reader->arrays.vertices = vertices;
	for ( int32_t i = 0; i < reader->arrays.vertexCount && vertices != NULL; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
		double p[3];
		if ( ReadNumbers( &place, p, 3 ) == false )
		{
			return false;
		}
		vertices[i] = supMakeVec3( (float)p[0], (float)p[1], (float)p[2] );
	}
	return vertices != NULL ? true : supSetMemoryError( root->error );
}

// The lattice reports corners out of range, because it knows the cell.
static bool ReadCells( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace list;
	int32_t count;
	if ( CountItems( root, "cells", true, &list, &count ) == false )
	{
		return false;
	}
	uint8_t* kinds = supArena_AllocArray( &reader->arena, (size_t)count, 1 );
	int32_t* corners = supArena_AllocArray( &reader->arena, 8 * (size_t)count, sizeof( int32_t ) );
	int32_t used = 0;
	reader->arrays.cellCount = count;
	reader->arrays.kinds = kinds;
	reader->arrays.corners = corners;
	for ( int32_t i = 0; i < count && kinds != NULL && corners != NULL; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
		size_t size = json_array_size( place.value );
		if ( size != 4 && size != 6 && size != 8 )
		{
			return supJsonPlace_Refuse( &place,
										"must be a list of 4 vertices for a tet, 6 for a prism or 8 for a hex" );
		}
		kinds[i] = size == 4 ? sup_cellTet : ( size == 6 ? sup_cellPrism : sup_cellHex );
		for ( size_t k = 0; k < size; ++k )
		{
			int64_t value = supJson_IndexAt( place.value, k );
			if ( value < 0 )
			{
				supJsonPlace item = supJsonPlace_At( &place, k );
				return supJsonPlace_Refuse( &item, "must be the index of a vertex" );
			}
			corners[used++] = (int32_t)value;
		}
	}
	return kinds != NULL && corners != NULL ? true : supSetMemoryError( root->error );
}

// By name or by number.
static bool FindNode( const Reader* reader, const supJsonPlace* place, int32_t* node )
{
	const char* name = json_string_value( place->value );
	int32_t count = supCharacter_NodeCount( reader->character );
	if ( name != NULL )
	{
		*node = supCharacter_FindNode( reader->character, name );
		return *node >= 0 ? true : supJsonPlace_Refuse( place, "the character has no node \"%.60s\"", name );
	}
	*node = json_is_integer( place->value ) && json_integer_value( place->value ) >= 0 &&
					json_integer_value( place->value ) < count
				? (int32_t)json_integer_value( place->value )
				: -1;
	return *node >= 0
			   ? true
			   : supJsonPlace_Refuse( place, "must be a node: its name in quotes, or a number up to %d", count - 1 );
}

static bool ReadJoints( Reader* reader, const supJsonPlace* root )
{
	static const char* const keys[] = { "node", "offset", "at", NULL };
	supJsonPlace list;
	if ( CountItems( root, "joints", false, &list, &reader->arrays.jointCount ) == false )
	{
		return false;
	}
	supLatticeJoint* joints =
		supArena_AllocArray( &reader->arena, (size_t)reader->arrays.jointCount, sizeof( supLatticeJoint ) );
	reader->arrays.joints = joints;
	bool ok = true;
	for ( int32_t i = 0; i < reader->arrays.jointCount && joints != NULL && ok; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
		joints[i] = ( supLatticeJoint ){ -1, supVec3_zero, supVec3_zero };
		ok = supJsonPlace_CheckKeys( &place, keys ) && supJsonPlace_ReadVec3( &place, "offset", &joints[i].offset ) &&
			 supJsonPlace_ReadVec3( &place, "at", &joints[i].rest );
		supJsonPlace node = supJsonPlace_Get( &place, "node" );
		if ( ok && node.value != NULL )
		{
			ok = FindNode( reader, &node, &joints[i].node );
			joints[i].rest = ok ? supLatticeJoint_Place( joints + i, reader->worlds ) : supVec3_zero;
		}
		else if ( ok && json_object_get( place.value, "at" ) == NULL )
		{
			ok = supJsonPlace_Refuse( &place, "needs \"node\" or \"at\"" );
		}
	}
	return joints != NULL ? ok : supSetMemoryError( root->error );
}

static bool ReadBones( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace list;
	if ( CountItems( root, "bones", false, &list, &reader->arrays.boneCount ) == false )
	{
		return false;
	}
	supLatticeBone* bones =
		supArena_AllocArray( &reader->arena, (size_t)reader->arrays.boneCount, sizeof( supLatticeBone ) );
	reader->arrays.bones = bones;
	bool ok = true;
	for ( int32_t i = 0; i < reader->arrays.boneCount && bones != NULL && ok; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
		size_t size = json_array_size( place.value );
		if ( size != 2 && size != 3 )
		{
			return supJsonPlace_Refuse( &place, "must be a bone: two joints, and optionally the node that moves it" );
		}
		ok = ReadIndex( &place, 0, reader->arrays.jointCount, "joint", &bones[i].a ) &&
			 ReadIndex( &place, 1, reader->arrays.jointCount, "joint", &bones[i].b );
		supJsonPlace node = supJsonPlace_At( &place, 2 );
		if ( ok )
		{
			bones[i].node = reader->arrays.joints[bones[i].a].node;
			ok = node.value == NULL || FindNode( reader, &node, &bones[i].node );
		}
	}
	return bones != NULL ? ok : supSetMemoryError( root->error );
}

// Vertices that are not listed are free.
static bool ReadPins( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace list;
	int32_t count;
	if ( CountItems( root, "pins", false, &list, &count ) == false )
	{
		return false;
	}
	if ( list.value == NULL )
	{
		return true;
	}
	supLatticePin* pins =
		supArena_AllocArray( &reader->arena, (size_t)reader->arrays.vertexCount, sizeof( supLatticePin ) );
	reader->arrays.pins = pins;
	for ( int32_t i = 0; i < reader->arrays.vertexCount && pins != NULL; ++i )
	{
		pins[i] = ( supLatticePin ){ -1, -1, 0.0f };
	}
	bool ok = true;
	for ( int32_t i = 0; i < count && pins != NULL && ok; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
		double numbers[4];
		int32_t vertex = 0;
		supLatticePin pin = { 0 };
		ok = ReadNumbers( &place, numbers, 4 ) &&
			 ReadIndex( &place, 0, reader->arrays.vertexCount, "vertex", &vertex ) &&
			 ReadIndex( &place, 1, reader->arrays.jointCount, "joint", &pin.a ) &&
			 ReadIndex( &place, 2, reader->arrays.jointCount, "joint", &pin.b );
		if ( ok && ( numbers[3] < 0.0 || numbers[3] > 1.0 ) )
		{
			ok = supJsonPlace_Refuse( &place, "the fraction along the bone must be 0 to 1" );
		}
		if ( ok )
		{
			pin.t = (float)numbers[3];
			pins[vertex] = pin;
		}
	}
	return pins != NULL ? ok : supSetMemoryError( root->error );
}

static bool ReadEdges( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace list;
	int32_t count;
	if ( CountItems( root, "edges", false, &list, &count ) == false )
	{
		return false;
	}
	if ( list.value == NULL )
	{
		return true;
	}
	supBoneEdge* edges = supArena_AllocArray( &reader->arena, (size_t)count, sizeof( supBoneEdge ) );
	reader->arrays.edges = edges;
	reader->arrays.edgeCount = count;
	bool ok = true;
	for ( int32_t i = 0; i < count && edges != NULL && ok; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
		double numbers[3];
		ok = ReadNumbers( &place, numbers, 3 ) &&
			 ReadIndex( &place, 0, reader->arrays.boneCount, "bone", &edges[i].bone ) &&
			 ReadIndex( &place, 1, reader->arrays.vertexCount, "vertex", &edges[i].vertices[0] ) &&
			 ReadIndex( &place, 2, reader->arrays.vertexCount, "vertex", &edges[i].vertices[1] );
	}
	return edges != NULL ? ok : supSetMemoryError( root->error );
}

static bool ReadLattice( Reader* reader, const supJsonPlace* root )
{
	static const char* const keys[] = { "vertices", "cells", "joints", "bones", "pins", "edges", NULL };
	return supJsonPlace_CheckKeys( root, keys ) && ReadVertices( reader, root ) && ReadCells( reader, root ) &&
		   ReadJoints( reader, root ) && ReadBones( reader, root ) && ReadPins( reader, root ) &&
		   ReadEdges( reader, root );
}

bool supParseControlLattice( supControlLattice* lattice, const void* bytes, size_t byteCount, const char* name,
							 const supCharacter* character, supError* error )
{
	supClearError( error );
	if ( byteCount > MAX_BYTES )
	{
		return supSetError( error, sup_errorTooLarge, name, "the file is too large for a control lattice (%zu bytes)",
							byteCount );
	}
	json_t* tree = supParseStrictJson( bytes, byteCount, name, error );
	if ( tree == NULL )
	{
		return false;
	}
	supPose* pose = supCreatePose( character );
	Reader reader = { .character = character,
					  .worlds = pose != NULL ? supPose_Worlds( pose ) : NULL,
					  .arrays = { .name = name } };
	supJsonPlace root = { .value = tree, .file = name, .error = error };
	bool ok = pose != NULL ? ReadLattice( &reader, &root ) : supSetMemoryError( error );
	ok = ok && supControlLattice_Init( lattice, &reader.arrays, error );
	supArena_Destroy( &reader.arena );
	supDestroyPose( pose );
	json_decref( tree );
	return ok;
}

bool supLoadControlLattice( supControlLattice* lattice, const char* path, const supCharacter* character,
							supError* error )
{
	supClearError( error );
	size_t byteCount;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	bool ok = bytes != NULL && supParseControlLattice( lattice, bytes, byteCount, path, character, error );
	supFree( bytes );
	return ok;
}

supControlLattice* supLoadLattice( const char* path, const supCharacter* character, supError* error )
{
	supControlLattice* lattice = supAllocZeroed( sizeof( supControlLattice ) );
	if ( lattice == NULL )
	{
		supSetMemoryError( error );
	}
	else if ( supLoadControlLattice( lattice, path, character, error ) == false )
	{
		supFree( lattice );
		lattice = NULL;
	}
	return lattice;
}

void supDestroyLattice( supControlLattice* lattice )
{
	if ( lattice != NULL )
	{
		supControlLattice_Destroy( lattice );
		supFree( lattice );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static void PrintVec3( supOutput* output, supVec3 p )
{
	supOutput_Print( output, "[ " );
	supOutput_PrintFloat( output, p.x );
	supOutput_Print( output, ", " );
	supOutput_PrintFloat( output, p.y );
	supOutput_Print( output, ", " );
	supOutput_PrintFloat( output, p.z );
	supOutput_Print( output, " ]" );
}

static const char* Comma( int32_t i, int32_t count )
{
	return i + 1 < count ? "," : "";
}

// Nodes by number, which needs no quoting and no unique names.
static void PrintSkeleton( supOutput* output, const supControlLattice* lattice )
{
	supOutput_Print( output, "  \"joints\": [\n" );
	for ( int32_t i = 0; i < lattice->jointCount; ++i )
	{
		const supLatticeJoint* joint = lattice->joints + i;
		if ( joint->node >= 0 )
		{
			supOutput_Print( output, "    { \"node\": %d, \"offset\": ", joint->node );
		}
		else
		{
			supOutput_Print( output, "    { \"at\": " );
		}
		PrintVec3( output, joint->node >= 0 ? joint->offset : joint->rest );
		supOutput_Print( output, " }%s\n", Comma( i, lattice->jointCount ) );
	}
	supOutput_Print( output, "  ],\n  \"bones\": [\n" );
	for ( int32_t i = 0; i < lattice->boneCount; ++i )
	{
		const supLatticeBone* bone = lattice->bones + i;
		supOutput_Print( output, "    [ %d, %d", bone->a, bone->b );
		if ( bone->node >= 0 )
		{
			supOutput_Print( output, ", %d", bone->node );
		}
		supOutput_Print( output, " ]%s\n", Comma( i, lattice->boneCount ) );
	}
	supOutput_Print( output, "  ],\n  \"pins\": [" );
	bool isFirst = true;
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		const supLatticePin* pin = lattice->pins + i;
		if ( pin->a >= 0 )
		{
			supOutput_Print( output, "%s\n    [ %d, %d, %d, ", isFirst ? "" : ",", i, pin->a, pin->b );
			supOutput_PrintFloat( output, pin->t );
			supOutput_Print( output, " ]" );
			isFirst = false;
		}
	}
	supOutput_Print( output, "\n  ],\n  \"edges\": [\n" );
	for ( int32_t i = 0; i < lattice->edgeCount; ++i )
	{
		const supBoneEdge* edge = lattice->edges + i;
		supOutput_Print( output, "    [ %d, %d, %d ]%s\n", edge->bone, edge->vertices[0], edge->vertices[1],
						 Comma( i, lattice->edgeCount ) );
	}
	supOutput_Print( output, "  ]\n}\n" );
}

bool supSaveControlLattice( const supControlLattice* lattice, const char* path, supError* error )
{
	supClearError( error );
	supOutput* output = supBeginOutput( path, error );
	if ( output == NULL )
	{
		return false;
	}
	supOutput_Print( output, "{\n  \"vertices\": [\n" );
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		supOutput_Print( output, "    " );
		PrintVec3( output, lattice->vertices[i] );
		supOutput_Print( output, "%s\n", Comma( i, lattice->vertexCount ) );
	}
	supOutput_Print( output, "  ],\n  \"cells\": [\n" );
	for ( int32_t i = 0; i < lattice->cellCount; ++i )
	{
		supOutput_Print( output, "    [" );
		for ( int32_t k = lattice->cornerStarts[i]; k < lattice->cornerStarts[i + 1]; ++k )
		{
			supOutput_Print( output, " %d%s", lattice->corners[k], Comma( k, lattice->cornerStarts[i + 1] ) );
		}
		supOutput_Print( output, " ]%s\n", Comma( i, lattice->cellCount ) );
	}
	supOutput_Print( output, "  ],\n" );
	PrintSkeleton( output, lattice );
	return supEndOutput( output, true, error );
}
