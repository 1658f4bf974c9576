// SPDX-License-Identifier: MIT
// Flesh into a pack and out again. Matrices and their factor are not in it: they are made again from the layer.
#include "method/layered/layered.h"

#define LINK_NUMBERS 36

static void PackLink( const supLink* link, double out[LINK_NUMBERS] )
{
	out[0] = link->mass;
	supStoreVec3d( out + 1, link->center );
	memcpy( out + 4, link->inertia.m, sizeof( link->inertia.m ) );
	supStoreVec3d( out + 13, link->anchor );
	supStoreVec3d( out + 16, link->axis );
	supStoreVec3d( out + 19, link->secondAxis );
	out[22] = link->turned;
	out[23] = link->carried;
	for ( int k = 0; k < 2; ++k )
	{
		out[24 + 2 * k] = link->turns[k].lower;
		out[25 + 2 * k] = link->turns[k].upper;
	}
	supStoreVec3d( out + 28, link->middle );
	out[31] = link->swing;
	out[32] = link->strength;
	out[33] = link->isTold ? 1.0 : 0.0;
	out[34] = link->stiffness;
	out[35] = link->damping;
}

static void UnpackLink( const double in[LINK_NUMBERS], supLink* link )
{
	link->mass = in[0];
	link->center = supLoadVec3d( in + 1 );
	memcpy( link->inertia.m, in + 4, sizeof( link->inertia.m ) );
	link->anchor = supLoadVec3d( in + 13 );
	link->axis = supLoadVec3d( in + 16 );
	link->secondAxis = supLoadVec3d( in + 19 );
	link->turned = in[22];
	link->carried = in[23];
	for ( int k = 0; k < 2; ++k )
	{
		link->turns[k] = ( supTurnLimits ){ in[24 + 2 * k], in[25 + 2 * k] };
	}
	link->middle = supLoadVec3d( in + 28 );
	link->swing = in[31];
	link->strength = in[32];
	link->isTold = in[33] != 0.0;
	link->stiffness = in[34];
	link->damping = in[35];
}

static void SaveLinks( const supLayeredFlesh* flesh, supPackWriter* writer )
{
	size_t count = (size_t)flesh->links.count;
	int32_t* whole = supArena_AllocArray( &writer->arena, 3 * count, sizeof( int32_t ) );
	double* numbers = supArena_AllocArray( &writer->arena, LINK_NUMBERS * count, sizeof( double ) );
	if ( writer->arena.failed )
	{
		writer->failed = true;
		return;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		const supLink* link = flesh->links.links + i;
		whole[3 * i] = link->node;
		whole[3 * i + 1] = link->parent;
		whole[3 * i + 2] = link->kind;
		PackLink( link, numbers + LINK_NUMBERS * i );
	}
	supPackWriter_Add( writer, "links", sup_packI32, (int64_t)( 3 * count ), whole );
	supPackWriter_Add( writer, "inertia", sup_packF64, (int64_t)( LINK_NUMBERS * count ), numbers );
}

void supLayered_SaveFlesh( const void* fleshPointer, supPackWriter* writer )
{
	const supLayeredFlesh* flesh = fleshPointer;
	const supSkinSettings* s = &flesh->skin.settings;
	const float settings[6] = { s->density, s->stiffness, s->poisson, s->damping, s->drag, flesh->size };
	int64_t slots = (int64_t)SUP_MAX_INFLUENCES * flesh->layer.tets.pointCount;
	supPackWriter_Add( writer, "settings", sup_packF32, 6, settings );
	supPackWriter_AddInt( writer, "outer", flesh->layer.outerCount );
	supPackWriter_AddInt( writer, "nodes", flesh->skin.nodeCount );
	supPackWriter_AddInt( writer, "between", flesh->between );
	SaveLinks( flesh, writer );
	supPackWriter_Add( writer, "inverses", sup_packF32, 12 * (int64_t)flesh->links.count, flesh->restInverses );
	supPackWriter_Add( writer, "stiffness", sup_packF32, flesh->layer.tets.tetCount, flesh->tetStiffness );
	supPackWriter_Add( writer, "pointLinks", sup_packU16, slots, flesh->pointLinks );
	supPackWriter_Add( writer, "pointWeights", sup_packF32, slots, flesh->pointWeights );
	supPackWriter_Enter( writer, "tets" );
	supTets_Save( &flesh->layer.tets, writer );
	supPackWriter_Leave( writer );
	supPackWriter_Enter( writer, "binding" );
	supSurfaceBinding_Save( &flesh->binding, writer );
	supPackWriter_Leave( writer );
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static bool IsUsable( const supLink* link )
{
	bool hasLimits = link->turns[0].lower <= link->turns[0].upper && link->turns[1].lower <= link->turns[1].upper &&
					 link->swing >= 0.0;
	return hasLimits && supIsFinite( (float)link->stiffness ) && supIsFinite( (float)link->damping ) &&
		   link->strength >= 0.0 && link->mass > 0.0 && link->turned > 0.0 && link->carried > 0.0 &&
		   link->inertia.m[0][0] > 0.0 && link->inertia.m[1][1] > 0.0 && link->inertia.m[2][2] > 0.0;
}

static bool ReadLinks( supLayeredFlesh* flesh, supPackReader* reader, const supCharacter* character )
{
	int64_t count = supPackReader_Count( reader, "links" ) / 3;
	if ( count < 1 || count > supCharacter_NodeCount( character ) )
	{
		return supPackReader_Refuse( reader, "links", "%lld links", (long long)count );
	}
	// a node, a parent and a kind each, which are looked at one by one below
	const int32_t* whole = supPackReader_Get( reader, "links", sup_packI32, 3 * count );
	const double* numbers = supPackReader_Get( reader, "inertia", sup_packF64, LINK_NUMBERS * count );
	flesh->links.links = supArena_AllocZeroed( &flesh->links.arena, (size_t)count * sizeof( supLink ) );
	if ( reader->failed || flesh->links.links == NULL )
	{
		return reader->failed == false && supSetMemoryError( reader->error );
	}
	for ( int64_t i = 0; i < LINK_NUMBERS * count; ++i )
	{
		if ( !( fabs( numbers[i] ) < 1e30 ) )
		{
			return supPackReader_Refuse( reader, "inertia", "number %lld is not usable", (long long)i );
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		supLink* link = flesh->links.links + i;
		link->node = whole[3 * i];
		link->parent = whole[3 * i + 1];
		link->kind = whole[3 * i + 2];
		UnpackLink( numbers + LINK_NUMBERS * (int64_t)i, link );
		bool isRoot = link->parent < 0;
		if ( link->node < 0 || link->node >= supCharacter_NodeCount( character ) || link->parent >= i ||
			 link->kind < 0 || link->kind >= sup_jointKindCount || isRoot != ( link->kind == sup_jointFree ) ||
			 IsUsable( link ) == false )
		{
			return supPackReader_Refuse( reader, "links", "link %d is not usable", i );
		}
	}
	flesh->links.count = (int32_t)count;
	return true;
}

static bool ReadTets( supLayeredFlesh* flesh, supPackReader* reader )
{
	supTetMesh mesh = { 0 };
	supPackReader_Enter( reader, "tets" );
	bool ok = supTets_Load( &mesh, reader );
	supPackReader_Leave( reader );
	if ( ok == false || supTets_InitMesh( &flesh->layer.tets, &mesh, reader->error ) == false )
	{
		return false;
	}
	flesh->layer.outerCount = supPackReader_GetInt( reader, "outer", 1, mesh.pointCount / 2 );
	flesh->tetStiffness = supPackReader_GetFloats( reader, "stiffness", mesh.tetCount );
	return reader->failed == false;
}

static bool ReadPoints( supLayeredFlesh* flesh, supPackReader* reader )
{
	int64_t slots = (int64_t)SUP_MAX_INFLUENCES * flesh->layer.tets.pointCount;
	flesh->pointLinks = supPackReader_Get( reader, "pointLinks", sup_packU16, slots );
	flesh->pointWeights = supPackReader_GetFloats( reader, "pointWeights", slots );
	const float* inverses = supPackReader_GetFloats( reader, "inverses", 12 * (int64_t)flesh->links.count );
	if ( reader->failed )
	{
		return false;
	}
	flesh->restInverses = supArena_CopyArray( &flesh->arena, inverses, (size_t)flesh->links.count, sizeof( supMat34 ) );
	for ( int64_t i = 0; i < slots; i += SUP_MAX_INFLUENCES )
	{
		float sum = 0.0f;
		for ( int64_t k = i; k < i + SUP_MAX_INFLUENCES; ++k )
		{
			if ( flesh->pointLinks[k] >= flesh->links.count || flesh->pointWeights[k] < 0.0f )
			{
				return supPackReader_Refuse( reader, "pointLinks", "link %d of %d", flesh->pointLinks[k],
											 flesh->links.count );
			}
			sum += flesh->pointWeights[k];
		}
		if ( !( sum > 0.5f && sum < 2.0f ) )
		{
			return supPackReader_Refuse( reader, "pointWeights", "weights of a point do not sum to 1" );
		}
	}
	return flesh->restInverses != NULL || supSetMemoryError( reader->error );
}

static bool ReadSettings( supLayeredFlesh* flesh, supPackReader* reader, supSkinSettings* settings )
{
	const float* s = supPackReader_GetFloats( reader, "settings", 6 );
	if ( s == NULL )
	{
		return false;
	}
	*settings = ( supSkinSettings ){ s[0], s[1], s[2], s[3], s[4] };
	flesh->size = s[5];
	flesh->between = supPackReader_GetInt( reader, "between", 0, SUP_MOST_LAYERED_BETWEEN );
	if ( reader->failed )
	{
		return false;
	}
	bool ok = s[0] > 0.0f && s[1] > 0.0f && s[2] >= 0.0f && s[2] < 0.5f && s[3] >= 0.0f && s[4] >= 0.0f;
	return ( ok && s[5] > 0.0f ) || supPackReader_Refuse( reader, "settings", "out of range" );
}

// The skin's own errors are those of a file here.
static bool MakeSkin( supLayeredFlesh* flesh, supPackReader* reader, const supSkinSettings* settings )
{
	supError error = { 0 };
	int32_t nodeCount = supPackReader_GetInt( reader, "nodes", 1, flesh->layer.outerCount );
	for ( int64_t i = nodeCount; i < flesh->layer.outerCount; ++i )
	{
		if ( flesh->pointWeights[SUP_MAX_INFLUENCES * i] != 1.0f ||
			 flesh->pointWeights[SUP_MAX_INFLUENCES * i + 1] > 0.0f )
		{
			return supPackReader_Refuse( reader, "pointWeights", "point %lld is rigid and has several links",
										 (long long)i );
		}
	}
	if ( reader->failed )
	{
		return false;
	}
	bool ok = supSkinBody_Init( &flesh->skin, &flesh->layer, nodeCount, settings, flesh->tetStiffness, NULL, &error ) &&
			  supLayeredFlesh_Finish( flesh, &error );
	return ok || supPackReader_PassError( reader, &error );
}

void* supLayered_LoadFlesh( supPackReader* reader, const supCharacter* character )
{
	supLayeredFlesh* flesh = supAllocZeroed( sizeof( supLayeredFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( reader->error );
		reader->failed = true;
		return NULL;
	}
	supSkinSettings settings = { 0 };
	bool ok = ReadSettings( flesh, reader, &settings ) && ReadLinks( flesh, reader, character ) &&
			  ReadTets( flesh, reader ) && ReadPoints( flesh, reader ) && MakeSkin( flesh, reader, &settings );
	if ( ok )
	{
		supPackReader_Enter( reader, "binding" );
		ok = supSurfaceBinding_Load( &flesh->binding, reader, character, flesh->layer.tets.pointCount, 4 );
		supPackReader_Leave( reader );
	}
	ok = ok && supLayeredFlesh_FinishBinding( flesh, reader->error );
	if ( ok == false )
	{
		reader->failed = true;
		supLayered_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}
