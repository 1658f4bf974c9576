// SPDX-License-Identifier: MIT
// Flesh: built from settings, or read.
#include "exports.h"

#include <malloc.h>

// Settings as text, with the keys of docs/files.md.
SUP_WEB supFlesh* supWeb_BuildFlesh( const supWebCharacter* own, const char* text, uint32_t length )
{
	supClearError( &g_webError );
	supSettings* settings = supParseSettings( text, length, "settings", own->character, &g_webError );
	if ( settings == NULL )
	{
		return NULL;
	}
	supFlesh* flesh = supBuildFlesh( own->character, &settings->def, supWeb_Tasks(), &g_webError );
	supDestroySettings( settings );
	return flesh;
}

// 64-byte aligned room for a file that supWeb_ReadFlesh is to use.
SUP_WEB void* supWeb_Allocate( uint32_t size )
{
	void* memory = supAlloc( size );
	if ( memory == NULL )
	{
		supClearError( &g_webError );
		supSetMemoryError( &g_webError );
	}
	return memory;
}

// Bytes in use, for tests of leaks.
SUP_WEB uint32_t supWeb_UsedMemory( void )
{
	return (uint32_t)mallinfo().uordblks;
}

SUP_WEB void supWeb_Free( void* memory )
{
	supFree( memory );
}

// The bytes stay where they are for as long as the flesh.
SUP_WEB supFlesh* supWeb_ReadFlesh( const supWebCharacter* own, const void* bytes, uint32_t byteCount,
									const char* name )
{
	supClearError( &g_webError );
	return supReadFlesh( bytes, byteCount, name, own->character, &g_webError );
}

static size_t s_writtenSize;

// Free with supWeb_Free; supWeb_WrittenSize says how many bytes there are.
SUP_WEB uint8_t* supWeb_WriteFlesh( const supFlesh* flesh )
{
	supClearError( &g_webError );
	return supWriteFlesh( flesh, &s_writtenSize, &g_webError );
}

SUP_WEB uint32_t supWeb_WrittenSize( void )
{
	return (uint32_t)s_writtenSize;
}

SUP_WEB void supWeb_DestroyFlesh( supFlesh* flesh )
{
	supDestroyFlesh( flesh );
}

// Method, parameters that differ from their standard, and names of regions.
SUP_WEB const char* supWeb_DescribeFlesh( const supFlesh* flesh )
{
	supClearError( &g_webError );
	supMethodId method = sup_methodLbs;
	supFindMethod( supFlesh_MethodName( flesh ), &method );
	json_t* root = json_object();
	json_t* parameters = json_object();
	for ( int32_t i = 0; i < supMethod_ParameterCount( method ); ++i )
	{
		const supParameter* parameter = supMethod_Parameter( method, i );
		float value = supFlesh_Parameter( flesh, i );
		if ( value != parameter->standard )
		{
			supWeb_SetNumber( parameters, parameter->name, value );
		}
	}
	json_t* regions = json_array();
	for ( int32_t i = 0; i < supFlesh_RegionCount( flesh ); ++i )
	{
		json_t* region = json_object();
		supWeb_SetText( region, "name", supFlesh_RegionName( flesh, i ) );
		supWeb_Append( regions, region );
	}
	supWeb_SetText( root, "method", supMethodName( method ) );
	supWeb_Set( root, "parameters", parameters );
	supWeb_Set( root, "regions", regions );
	return supWeb_Text( root );
}
