// SPDX-License-Identifier: MIT
#include "flesh_choice.h"

#include "choose.h"
#include "project.h"
#include "report.h"
#include "text.h"

#include <stdlib.h>

static const char* ParameterAt( int32_t index, const void* context )
{
	return supMethod_Parameter( *(const supMethodId*)context, index )->name;
}

static int ReportUnknownParameter( const Command* command, supMethodId method, const char* name )
{
	const char* methodName = supMethodName( method );
	int32_t nearest = FindNearestName( name, supMethod_ParameterCount( method ), ParameterAt, &method );
	if ( nearest >= 0 )
	{
		return ReportUsage( command, "the method %s has no parameter '%s'; did you mean '%s'?", methodName, name,
							ParameterAt( nearest, &method ) );
	}
	return ReportUsage( command, "the method %s has no parameter '%s'; 'supple methods %s' lists them", methodName,
						name, methodName );
}

static bool ReadValue( const supParameter* parameter, const char* text, float* value )
{
	for ( int32_t i = 0; parameter->choices != NULL && i <= (int32_t)parameter->maximum; ++i )
	{
		if ( strcmp( parameter->choices[i], text ) == 0 )
		{
			*value = (float)i;
			return true;
		}
	}
	char* end;
	*value = strtof( text, &end );
	bool whole = parameter->choices == NULL || *value == (float)(int32_t)*value;
	return end != text && *end == 0 && *value >= parameter->minimum && *value <= parameter->maximum && whole;
}

static int ReportBadValue( const Command* command, const supParameter* parameter, const char* text )
{
	char wanted[400];
	if ( parameter->choices == NULL )
	{
		snprintf( wanted, sizeof( wanted ), "a number from %g to %g", parameter->minimum, parameter->maximum );
	}
	else
	{
		size_t length = 0;
		for ( int32_t i = 0; i <= (int32_t)parameter->maximum && length < sizeof( wanted ); ++i )
		{
			length += (size_t)snprintf( wanted + length, sizeof( wanted ) - length, "%s%s", i == 0 ? "one of " : ", ",
										parameter->choices[i] );
		}
	}
	return ReportUsage( command, "parameter %s: expected %s (got '%s')", parameter->name, wanted, text );
}

// "stretch=0.3"
int AddFleshSetting( const Command* command, const char* text, FleshChoice* choice )
{
	char name[64];
	size_t length = strcspn( text, "=" );
	snprintf( name, sizeof( name ), "%.*s", (int)( length < 63 ? length : 63 ), text );
	if ( text[length] != '=' )
	{
		return ReportUsage( command, "option --set: expected NAME=VALUE (got '%s')", text );
	}
	int32_t index = supMethod_FindParameter( choice->method, name );
	if ( index < 0 )
	{
		return ReportUnknownParameter( command, choice->method, name );
	}
	const supParameter* parameter = supMethod_Parameter( choice->method, index );
	float value;
	if ( ReadValue( parameter, text + length + 1, &value ) == false )
	{
		return ReportBadValue( command, parameter, text + length + 1 );
	}
	if ( choice->settingCount == MOST_FLESH_SETTINGS )
	{
		return ReportUsage( command, "at most %d parameters; a settings file may have any number",
							MOST_FLESH_SETTINGS );
	}
	choice->settings[choice->settingCount++] = ( supSetting ){ parameter->name, value };
	return exit_ok;
}

int ParseFleshChoice( const Command* command, const char* word, FleshChoice* choice )
{
	*choice = ( FleshChoice ){ 0 };
	snprintf( choice->label, sizeof( choice->label ), "%s", word );
	char name[32];
	size_t length = strcspn( word, ":" );
	snprintf( name, sizeof( name ), "%.*s", (int)( length < 31 ? length : 31 ), word );
	if ( supFindMethod( name, &choice->method ) == false )
	{
		return ReportUnknownMethod( command, name );
	}
	const char* rest = word[length] == ':' ? word + length + 1 : "";
	int status = exit_ok;
	while ( *rest != 0 && status == exit_ok )
	{
		char setting[128];
		length = strcspn( rest, "," );
		snprintf( setting, sizeof( setting ), "%.*s", (int)( length < 127 ? length : 127 ), rest );
		status = AddFleshSetting( command, setting, choice );
		rest += length + ( rest[length] == ',' );
	}
	return status;
}

// Is what stands before the first comma, colon or space the name of a method, or a word that cannot be a setting?
static bool StartsChoice( const char* text )
{
	return text[strcspn( text, ",:= " )] != '=';
}

int ParseFleshChoices( const Command* command, const char* words, FleshChoice* choices, int32_t most, int32_t* count )
{
	*count = 0;
	// at least once: an empty list is the method without a name
	do
	{
		size_t length = strcspn( words, ", " );
		while ( words[length] == ',' && StartsChoice( words + length + 1 ) == false )
		{
			length += 1 + strcspn( words + length + 1, ", " );
		}
		char word[512];
		snprintf( word, sizeof( word ), "%.*s", (int)( length < 511 ? length : 511 ), words );
		words += length + ( words[length] != 0 );
		if ( *count == most )
		{
			return ReportUsage( command, "at most %d methods fit side by side", most );
		}
		bool isFile = strncmp( word, "file:", 5 ) == 0;
		int status = ParseFleshChoice( command, isFile ? "lbs" : word, choices + *count );
		if ( isFile )
		{
			snprintf( choices[*count].label, sizeof( choices->label ), "%.79s", word );
			snprintf( choices[*count].baked, sizeof( choices->baked ), "%s", word + 5 );
		}
		if ( status != exit_ok )
		{
			return status;
		}
		*count += 1;
	} while ( *words != 0 );
	return exit_ok;
}

// One --set, for all choices that have the parameter.
static int ApplySetting( const Command* command, const char* text, FleshChoice* choices, int32_t count )
{
	int32_t taken = 0;
	char name[64];
	size_t length = strcspn( text, "=" );
	snprintf( name, sizeof( name ), "%.*s", (int)( length < 63 ? length : 63 ), text );
	int status = exit_ok;
	for ( int32_t k = 0; k < count && status == exit_ok; ++k )
	{
		if ( supMethod_FindParameter( choices[k].method, name ) >= 0 )
		{
			taken += 1;
			status = AddFleshSetting( command, text, choices + k );
		}
	}
	return status == exit_ok && taken == 0 ? ReportUnknownParameter( command, choices[0].method, name ) : status;
}

static int ApplySoftness( const Command* command, const char* text, FleshChoice* choices, int32_t count )
{
	char* end;
	float softness = strtof( text, &end );
	if ( end == text || *end != 0 || !( softness >= 0.0f && softness <= 1.0f ) )
	{
		return ReportUsage( command, "option --softness: expected a number from 0 to 1 (got '%s')", text );
	}
	char setting[64];
	snprintf( setting, sizeof( setting ), "softness=%.9g", (double)softness );
	return ApplySetting( command, setting, choices, count );
}

static int ApplyPreset( const Command* command, const char* name, FleshChoice* choices, int32_t count )
{
	const supPreset* preset = supFindPreset( name );
	if ( preset == NULL )
	{
		return ReportUsage( command, "option --preset: expected firm, standard, jelly or heavy (got '%s')", name );
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		FleshChoice* choice = choices + k;
		supSetting settings[SUP_PRESET_SETTINGS];
		int32_t settingCount = supPreset_Settings( preset, choice->method, settings );
		if ( choice->settingCount + settingCount > MOST_FLESH_SETTINGS )
		{
			return ReportUsage( command, "at most %d parameters; a settings file may have any number",
								MOST_FLESH_SETTINGS );
		}
		memcpy( choice->settings + choice->settingCount, settings, (size_t)settingCount * sizeof( supSetting ) );
		choice->settingCount += settingCount;
	}
	return exit_ok;
}

static bool HaveFlesh( const FleshChoice* choices, int32_t count )
{
	bool found = false;
	for ( int32_t k = 0; k < count; ++k )
	{
		found = found || supMethod_FindParameter( choices[k].method, "softness" ) >= 0;
	}
	return found;
}

int ApplySetOptions( const Command* command, const Arguments* arguments, FleshChoice* choices, int32_t count )
{
	int status = exit_ok;
	for ( int32_t i = 0; i < arguments->orderedCount && status == exit_ok; ++i )
	{
		const char* option = arguments->ordered[i].option->name;
		const char* text = arguments->ordered[i].text;
		bool isSoftness = strcmp( option, "softness" ) == 0, isPreset = strcmp( option, "preset" ) == 0;
		if ( ( isSoftness || isPreset ) && HaveFlesh( choices, count ) == false )
		{
			return ReportUsage( command, "option --%s: the method %s has no flesh; add --method position or another",
								option, supMethodName( choices[0].method ) );
		}
		status = isSoftness                     ? ApplySoftness( command, text, choices, count )
				 : isPreset                     ? ApplyPreset( command, text, choices, count )
				 : strcmp( option, "set" ) == 0 ? ApplySetting( command, text, choices, count )
												: exit_ok;
	}
	return status;
}

void AllowForeignMotion( FleshChoice* choices, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		FleshChoice* choice = choices + i;
		bool isSaid = choice->file != NULL || choice->settingsFile != NULL || choice->settingsText != NULL;
		for ( int32_t k = 0; k < choice->settingCount; ++k )
		{
			isSaid = isSaid || strcmp( choice->settings[k].parameter, "joints" ) == 0;
		}
		if ( choice->method == sup_methodLayered && isSaid == false && choice->settingCount < MOST_FLESH_SETTINGS )
		{
			choice->settings[choice->settingCount++] = ( supSetting ){ "joints", 1.0f };
		}
	}
}

supFleshDef MakeFleshDef( const FleshChoice* choice )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = choice->method;
	def.settings = choice->settings;
	def.settingCount = choice->settingCount;
	def.tets = choice->tets;
	def.lattice = choice->lattice;
	return def;
}

int ChooseFleshFile( const Command* command, const Arguments* arguments, const char* words, const char* path,
					 FleshChoice* choice )
{
	if ( words != NULL || arguments->orderedCount > 0 )
	{
		return ReportUsage( command, "--flesh excludes --%s: the file has its own method and parameters",
							words != NULL ? "method" : arguments->ordered[0].option->name );
	}
	*choice = ( FleshChoice ){ .file = path };
	CleanText( path, 40, choice->label, sizeof( choice->label ) );
	return exit_ok;
}

json_t* ReadSettingsTree( const char* path, int* status )
{
	supError error = { 0 };
	json_t* tree = ParseSettingsFile( path, &error );
	*status = tree != NULL ? exit_ok : ReportError( path, &error );
	return tree;
}

// - tree: owned
static int TakeMethod( json_t* tree, const char* place, char method[64] )
{
	snprintf( method, 64, "%s", supJson_String( tree, "method", "" ) );
	json_decref( tree );
	supMethodId id;
	if ( method[0] != 0 && supFindMethod( method, &id ) == false )
	{
		char name[80];
		Report( place, "unknown method '%s'; 'supple methods' lists them",
				CleanText( method, 30, name, sizeof( name ) ) );
		return exit_data;
	}
	return exit_ok;
}

int FindSettingsMethod( const char* path, char method[64] )
{
	method[0] = 0;
	int status = exit_ok;
	json_t* tree = ReadSettingsTree( path, &status );
	return tree != NULL ? TakeMethod( tree, path, method ) : status;
}

int FindSettingsTextMethod( const char* text, const char* place, char method[64] )
{
	method[0] = 0;
	// it has been read before, so that nothing but memory can be missing
	json_t* tree = json_loadb( text, strlen( text ), 0, NULL );
	return tree != NULL ? TakeMethod( tree, place, method ) : ReportMemory();
}

// The file's parameters first, so that those of the command line win.
static supFlesh* BuildWithSettings( const FleshChoice* choice, const Source* source, const supTasks* tasks,
									supError* error )
{
	const char* text = choice->settingsText;
	supSettings* settings =
		text != NULL ? supParseSettings( text, strlen( text ), choice->settingsPlace, source->character, error )
					 : LoadSettingsFile( choice->settingsFile, source->character, error );
	if ( settings == NULL )
	{
		return NULL;
	}
	supFleshDef def = settings->def;
	supFlesh* flesh = NULL;
	size_t count = (size_t)( def.settingCount + choice->settingCount );
	supSetting* all = supAllocArray( count, sizeof( supSetting ) );
	if ( all == NULL )
	{
		supSetMemoryError( error );
	}
	else if ( settings->hasMethod && def.method != choice->method && def.settingCount > 0 )
	{
		supSetError( error, sup_errorArgument, "parameters", "the settings are for the method %s, not for %s",
					 supMethodName( def.method ), supMethodName( choice->method ) );
	}
	else
	{
		for ( int32_t i = 0; i < (int32_t)count; ++i )
		{
			all[i] = i < def.settingCount ? def.settings[i] : choice->settings[i - def.settingCount];
		}
		def.method = choice->method;
		def.settings = all;
		def.settingCount = (int32_t)count;
		def.tets = choice->tets;
		def.lattice = choice->lattice;
		flesh = supBuildFlesh( source->character, &def, tasks, error );
	}
	supFree( all );
	supDestroySettings( settings );
	return flesh;
}

// A flat sheet, or something without a skeleton: it moves as it did before Supple, and the user is told.
static supFlesh* MakeDefaultFlesh( FleshChoice* choice, const Source* source, const supTasks* tasks, supError* error )
{
	Note( "%s: cannot build flesh (%s); using plain skinning instead; --method %s makes this an error", source->path,
		  error->message, DEFAULT_METHOD );
	*error = ( supError ){ 0 };
	snprintf( choice->label, sizeof( choice->label ), "%s", DEFAULT_WITHOUT_FLESH );
	supFindMethod( DEFAULT_WITHOUT_FLESH, &choice->method );
	supFleshDef def = MakeFleshDef( choice );
	return supBuildFlesh( source->character, &def, tasks, error );
}

// Metres. Nothing that anybody animates is larger, but many a file in centimetres is.
#define LARGE 20.0f

// Nothing but its motion would tell.
static void NoteSize( supMethodId method, const Source* source, const supTasks* tasks )
{
	bool knowsUnits = method == sup_methodPoints || method == sup_methodLayered || method == sup_methodFem;
	supPose* pose = knowsUnits ? supCreatePose( source->character ) : NULL;
	SceneMeasure measure;
	if ( pose != NULL && MeasureScene( source->character, pose, sup_skinningLinear, tasks, &measure ) )
	{
		supVec3 size = supBox_Size( measure.bounds );
		float largest = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
		if ( largest > LARGE )
		{
			Note( "%s is %.3g m large, and %s simulates it at that size; if the file is in centimetres, pass --unit cm",
				  source->path, (double)largest, supMethodName( method ) );
		}
	}
	supDestroyPose( pose );
}

supFlesh* MakeFlesh( FleshChoice* choice, const Source* source, const supTasks* tasks, int* status )
{
	supError error = { 0 };
	supFlesh* flesh;
	const char* path = source->path;
	if ( choice->file != NULL )
	{
		path = choice->file;
		flesh = supLoadFlesh( choice->file, source->character, &error );
	}
	else if ( choice->settingsFile != NULL || choice->settingsText != NULL )
	{
		path = choice->settingsFile != NULL ? choice->settingsFile : choice->settingsPlace;
		flesh = BuildWithSettings( choice, source, tasks, &error );
	}
	else
	{
		supFleshDef def = MakeFleshDef( choice );
		flesh = supBuildFlesh( source->character, &def, tasks, &error );
		bool maySkin = choice->isDefault && choice->settingCount == 0 && error.code != sup_errorMemory;
		if ( flesh == NULL && maySkin )
		{
			flesh = MakeDefaultFlesh( choice, source, tasks, &error );
		}
	}
	if ( flesh == NULL )
	{
		*status = ReportError( path, &error );
	}
	else
	{
		supFindMethod( supFlesh_MethodName( flesh ), &choice->method );
		NoteSize( choice->method, source, tasks );
	}
	return flesh;
}
