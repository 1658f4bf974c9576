// SPDX-License-Identifier: MIT
#include "io/common/load_limits.h"

#include "core/clock.h"

#define LOAD_COOKIE 0x4C4F4144

supLoadDef supDefaultLoadDef( void )
{
	return ( supLoadDef ){ .maxMemory = (uint64_t)8 << 30,
						   .maxNodes = 1 << 16,
						   .maxVertices = 1 << 24,
						   .maxKeys = 1 << 26,
						   .cookie = LOAD_COOKIE };
}

void supBeginLoad( const supLoadDef* def, supBudget* budget )
{
	SUP_ASSERT( def->cookie == LOAD_COOKIE );
	*budget = ( supBudget ){ .bytes = def->maxMemory };
	budget->endMilliseconds = def->maxSeconds > 0.0f ? supGetMilliseconds() + 1e3 * (double)def->maxSeconds : 0.0;
	supBudget* around = supSetBudget( budget );
	if ( around != NULL )
	{
		supSetBudget( around );
	}
}

void supEndLoad( const supLoadDef* def, supBudget* budget, bool failed, const char* where, supError* error )
{
	supBudget* current = supSetBudget( NULL );
	if ( current != budget )
	{
		supSetBudget( current );
		return;
	}
	if ( failed && budget->exhausted )
	{
		supClearError( error );
		if ( budget->late )
		{
			supSetError( error, sup_errorTooLarge, where, "loading takes longer than %g s (supLoadDef.maxSeconds)",
						 (double)def->maxSeconds );
		}
		else
		{
			supSetError( error, sup_errorTooLarge, where, "loading takes more than %llu MB (supLoadDef.maxMemory)",
						 (unsigned long long)( def->maxMemory >> 20 ) );
		}
	}
}

static bool CheckCount( const char* what, const char* field, uint64_t count, int32_t most, const char* where,
						supError* error )
{
	return count <= (uint64_t)( most > 0 ? most : 0 ) ||
		   supSetError( error, sup_errorTooLarge, where, "%llu %s exceed the limit of %d (supLoadDef.%s)",
						(unsigned long long)count, what, most, field );
}

bool supCheckNodeLimit( const supLoadDef* def, uint64_t count, const char* where, supError* error )
{
	return CheckCount( "nodes", "maxNodes", count, def->maxNodes, where, error );
}

bool supCheckLoadLimits( const supLoadDef* def, const supCharacter* character, const char* where, supError* error )
{
	uint64_t vertices = 0, keys = 0;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		vertices += (uint64_t)supCharacter_Mesh( character, i )->vertexCount;
	}
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		for ( int32_t k = 0; k < clip->channelCount; ++k )
		{
			keys += (uint64_t)clip->channels[k].keyCount;
		}
	}
	return supCheckNodeLimit( def, (uint64_t)supCharacter_NodeCount( character ), where, error ) &&
		   CheckCount( "vertices", "maxVertices", vertices, def->maxVertices, where, error ) &&
		   CheckCount( "keys", "maxKeys", keys, def->maxKeys, where, error );
}
