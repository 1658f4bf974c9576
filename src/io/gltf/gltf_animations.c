// SPDX-License-Identifier: MIT
#include "io/gltf/gltf_animations.h"

#include "character/character.h"

static bool FindAnimation( const supDocument* document, const supCharacter* character, supBakedAnimation* baked,
						   supError* error )
{
	baked->index = -1;
	for ( int32_t k = 0; k < supCharacter_ClipCount( character ); ++k )
	{
		baked->index = supCharacter_Clip( character, k ) == baked->clip ? k : baked->index;
	}
	if ( baked->index < 0 )
	{
		return true;
	}
	const json_t* animation = supJson_At( supJson_Get( document->root, "animations" ), (size_t)baked->index );
	if ( strcmp( supJson_String( animation, "name", "" ), baked->clip->name ) != 0 )
	{
		return supSetError( error, sup_errorArgument, document->name,
							"the document has no clip \"%s\" at the place where its character has one",
							baked->clip->name );
	}
	return true;
}

bool supFindBakedAnimations( const supDocument* document, const supCharacter* character, supBakedAnimation* baked,
							 int32_t count, supError* error )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( FindAnimation( document, character, baked + i, error ) == false )
		{
			return false;
		}
		for ( int32_t k = 0; k < i; ++k )
		{
			if ( baked[k].clip == baked[i].clip )
			{
				return supSetError( error, sup_errorArgument, document->name,
									"the clip \"%s\" was baked twice; one animation cannot hold both",
									baked[i].clip != NULL ? baked[i].clip->name : "Rest" );
			}
		}
	}
	return true;
}

static bool AddEmptyAnimation( supDocument* document, const char* name, supError* error )
{
	json_t* animation = json_object();
	bool ok = supJson_Set( animation, "name", supJson_MakeString( name ), error );
	ok = ok && supJson_Set( animation, "channels", json_array(), error );
	ok = ok && supJson_Set( animation, "samplers", json_array(), error );
	ok = supDocument_AppendItem( document, "animations", ok ? json_incref( animation ) : NULL, error ) >= 0;
	json_decref( animation );
	return ok;
}

bool supAddBakedAnimations( supDocument* document, float unit, supBakedAnimation* baked, int32_t count,
							supError* error )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const supClip* clip = baked[i].clip;
		bool written = baked[i].index >= 0;
		if ( clip != NULL && written == false && supWriteClip( document, clip, unit, &written, error ) == false )
		{
			return false;
		}
		if ( written == false && AddEmptyAnimation( document, clip != NULL ? clip->name : "Rest", error ) == false )
		{
			return false;
		}
		if ( baked[i].index < 0 )
		{
			baked[i].index = (int32_t)json_array_size( supJson_Get( document->root, "animations" ) ) - 1;
		}
	}
	return true;
}

bool supArrangeAnimations( supDocument* document, supBakedAnimation* baked, int32_t count, bool keepOthers,
						   supError* error )
{
	const json_t* animations = supJson_Get( document->root, "animations" );
	json_t* arranged = json_array();
	bool ok = arranged != NULL || supSetMemoryError( error );
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		ok = supJson_Push( arranged, json_incref( supJson_At( animations, (size_t)baked[i].index ) ), error );
	}
	for ( size_t k = 0; k < json_array_size( animations ) && ok && keepOthers; ++k )
	{
		bool isBaked = false;
		for ( int32_t i = 0; i < count; ++i )
		{
			isBaked = isBaked || baked[i].index == (int32_t)k;
		}
		ok = isBaked || supJson_Push( arranged, json_incref( supJson_At( animations, k ) ), error );
	}
	ok = ok && supJson_Set( document->root, "animations", json_incref( arranged ), error );
	json_decref( arranged );
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		baked[i].index = i;
	}
	return ok;
}

void supDropEmptyAnimations( supDocument* document )
{
	json_t* animations = supJson_Get( document->root, "animations" );
	for ( size_t i = json_array_size( animations ); i > 0; --i )
	{
		if ( json_array_size( supJson_Get( supJson_At( animations, i - 1 ), "channels" ) ) == 0 )
		{
			json_array_remove( animations, i - 1 );
		}
	}
	if ( animations != NULL && json_array_size( animations ) == 0 )
	{
		json_object_del( document->root, "animations" );
	}
}
