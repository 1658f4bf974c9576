// SPDX-License-Identifier: MIT
#include "camera.h"

#include "character/humanoid.h"
#include "core/core.h"
#include "report.h"
#include "text.h"
#include "volume/body/rest_surface.h"

#include <math.h>
#include <stdlib.h>

// A part of the body is shown with what is around it.
#define FOCUS_FILL 0.65f

// The narrowest lens, as a part of the usual one: of a finger tip.
#define MIN_LENS_RATIO 0.02f

// The camera is at least so far away, in parts of how deep the character is: what is near is drawn at most twice as
// large as what is far.
#define MIN_DISTANCE_RATIO 1.5f

// A joint that carries nothing is shown with so much around it, in parts of the character's size.
#define JOINT_RADIUS_RATIO 0.06f

// How many times larger a camera that follows must show a character.
#define SHEET_GAIN 1.1f
#define FILM_GAIN 2.0f

// Seconds before and after over which the path of a film's camera is averaged.
#define PATH_WINDOW_S 0.5f

// ---------------------------------------------------------------------------------------------------------------------
// Subjects

bool ParseView( const char* text, ViewChoice* choice )
{
	static const struct
	{
		const char* name;
		ViewChoice choice;
	} views[] = { { "front", { 0.0f, 6.0f, true } },
				  { "side", { 90.0f, 6.0f, true } },
				  { "back", { 180.0f, 6.0f, true } },
				  { "top", { 0.0f, 85.0f, true } },
				  { "three-quarter", { 32.0f, 10.0f, true } } };
	for ( int32_t i = 0; i < SUP_COUNT( views ); ++i )
	{
		if ( strcmp( views[i].name, text ) == 0 )
		{
			*choice = views[i].choice;
			return true;
		}
	}
	char* end;
	*choice = ( ViewChoice ){ .azimuth = strtof( text, &end ) };
	if ( end == text || *end != ',' )
	{
		return false;
	}
	const char* second = end + 1;
	choice->elevation = strtof( second, &end );
	bool inRange = choice->azimuth >= -360.0f && choice->azimuth <= 360.0f && choice->elevation >= -89.0f &&
				   choice->elevation <= 89.0f;
	return end != second && *end == 0 && inRange;
}

float ResolveAzimuth( const ViewChoice* choice, const supCharacter* character )
{
	supFacing facing;
	bool turned = choice->relative && character != NULL && supFindFacing( character, &facing );
	return choice->azimuth + ( turned ? supFacing_Azimuth( facing.forward ) : 0.0f );
}

// Without "mixamorig:" or "Armature|", which nobody types.
static const char* NodeNameAt( int32_t index, const void* context )
{
	const char* name = supCharacter_Node( context, index )->name;
	const char* end = name + strlen( name );
	while ( end > name && end[-1] != ':' && end[-1] != '|' )
	{
		end -= 1;
	}
	return end;
}

// The joints whose names hold the text, or the nearest one, for a message.
static void ListNearJoints( const supCharacter* character, const char* text, char* list, size_t capacity )
{
	size_t length = 0;
	int32_t found = 0;
	list[0] = 0;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ) && found < 6; ++i )
	{
		const char* name = supCharacter_Node( character, i )->name;
		char clean[100];
		if ( supCharacter_IsJoint( character, i ) && length < capacity && supJointNameHas( name, text ) )
		{
			length += (size_t)snprintf( list + length, capacity - length, "%s%s", found++ > 0 ? ", " : "",
										CleanText( name, 40, clean, sizeof( clean ) ) );
		}
	}
	int32_t nearest = FindNearestName( text, supCharacter_NodeCount( character ), NodeNameAt, character );
	if ( found == 0 && nearest >= 0 )
	{
		CleanText( NodeNameAt( nearest, character ), 40, list, capacity );
	}
}

static int FindFocus( const Source* source, const char* name, int32_t* node )
{
	const supCharacter* character = source->character;
	*node = supCharacter_FindNode( character, name );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ) && *node < 0; ++i )
	{
		// upper and lower case, prefixes and separators matter only where needed
		bool isSame = supJointNamesMatch( supCharacter_Node( character, i )->name, name );
		*node = isSame && supCharacter_IsJoint( character, i ) ? i : -1;
	}
	if ( *node >= 0 )
	{
		return exit_ok;
	}
	char clean[100], list[400], lower[64];
	size_t length = 0;
	for ( ; name[length] != 0 && length + 1 < sizeof( lower ); ++length )
	{
		lower[length] = (char)( name[length] >= 'A' && name[length] <= 'Z' ? name[length] + 'a' - 'A' : name[length] );
	}
	lower[length] = 0;
	ListNearJoints( character, lower, list, sizeof( list ) );
	CleanText( name, 40, clean, sizeof( clean ) );
	if ( list[0] != 0 )
	{
		Report( source->path, "--focus: no joint '%s'; did you mean: %s?", clean, list );
	}
	else
	{
		Report( source->path, "--focus: no joint '%s'; 'supple info' lists the joints", clean );
	}
	return exit_data;
}

static bool IsBelow( const supCharacter* character, int32_t node, int32_t ancestor )
{
	while ( node >= 0 && node != ancestor )
	{
		node = supCharacter_Node( character, node )->parent;
	}
	return node >= 0;
}

static void MarkFocused( const supCharacter* character, int32_t instance, int32_t focus, const bool* below,
						 bool* marks )
{
	const supInstance* it = supCharacter_Instance( character, instance );
	const supMesh* mesh = supCharacter_Mesh( character, it->mesh );
	bool skinned = it->skin >= 0 && mesh->influences > 0;
	for ( int32_t v = 0; v < mesh->vertexCount; ++v )
	{
		float weight = skinned == false && IsBelow( character, it->node, focus ) ? 1.0f : 0.0f;
		for ( int32_t k = 0; skinned && k < mesh->influences; ++k )
		{
			size_t at = (size_t)v * (size_t)mesh->influences + (size_t)k;
			int32_t node = supCharacter_Skin( character, it->skin )->joints[mesh->joints[at]];
			weight += below[node] ? mesh->weights[at] : 0.0f;
		}
		marks[v] = weight >= 0.5f;
	}
}

static int64_t CountVertices( const supCharacter* character )
{
	int64_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		count += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	return count;
}

static bool FindFocused( CameraSubject* subject )
{
	const supCharacter* character = subject->character;
	bool* below = supAllocZeroed( (size_t)supCharacter_NodeCount( character ) + 1 );
	subject->focused = supAllocZeroed( (size_t)CountVertices( character ) + 1 );
	bool ok = below != NULL && subject->focused != NULL;
	for ( int32_t i = 0; ok && i < supCharacter_NodeCount( character ); ++i )
	{
		below[i] = IsBelow( character, i, subject->focus );
	}
	bool* marks = subject->focused;
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		MarkFocused( character, i, subject->focus, below, marks );
		marks += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	supFree( below );
	return ok;
}

int AddCameraSubject( Camera* camera, const Source* source, const char* focus )
{
	SUP_ASSERT( camera->subjectCount < MOST_SUBJECTS );
	CameraSubject* subject = camera->subjects + camera->subjectCount++;
	*subject = ( CameraSubject ){ .character = source->character, .focus = -1 };
	subject->scenery = supAllocZeroed( (size_t)supCharacter_InstanceCount( source->character ) + 1 );
	if ( subject->scenery == NULL || supFindStillInstances( source->character, subject->scenery ) == false ||
		 supFindFacing( source->character, &subject->facing ) == false )
	{
		return ReportMemory();
	}
	int status = focus != NULL ? FindFocus( source, focus, &subject->focus ) : exit_ok;
	if ( status == exit_ok && subject->focus >= 0 && FindFocused( subject ) == false )
	{
		return ReportMemory();
	}
	return status;
}

void CloseCamera( Camera* camera )
{
	for ( int32_t i = 0; i < camera->subjectCount; ++i )
	{
		supFree( camera->subjects[i].scenery );
		supFree( camera->subjects[i].focused );
		supFree( camera->subjects[i].samples );
		supFree( camera->subjects[i].path );
	}
	camera->subjectCount = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Samples

void AddFacing( FacingMean* mean, const CameraSubject* subject, supPose* pose )
{
	mean->sum = supAdd( mean->sum, supFacing_At( &subject->facing, pose ) );
}

// Boxes at rest, of the whole character and of what is in focus.
static bool MeasureRest( const CameraSubject* subject, supBox* whole, supBox* part )
{
	const supCharacter* character = subject->character;
	supPose* pose = supCreatePose( character );
	supVec3* positions = supAllocArray( (size_t)CountVertices( character ) + 1, sizeof( supVec3 ) );
	bool ok = pose != NULL && positions != NULL;
	*whole = supBox_empty;
	*part = supBox_empty;
	const bool* marks = subject->focused;
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supSkinInstance( pose, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
		for ( int32_t v = 0; v < count && subject->scenery[i] == false; ++v )
		{
			*whole = supBox_Include( *whole, positions[v] );
			*part = marks == NULL || marks[v] ? supBox_Include( *part, positions[v] ) : *part;
		}
		marks += marks != NULL ? count : 0;
	}
	if ( ok && subject->focus >= 0 && supBox_IsEmpty( *part ) )
	{
		float radius = JOINT_RADIUS_RATIO * supLength( supBox_Size( *whole ) );
		supVec3 middle = supPose_Worlds( pose )[subject->focus].t, room = { radius, radius, radius };
		*part = ( supBox ){ supSub( middle, room ), supAdd( middle, room ) };
	}
	supFree( positions );
	supDestroyPose( pose );
	return ok;
}

// How far away a box is that fills the picture, over how deep it is.
static float CompareDepth( supBox box, float azimuth, float elevation, float aspect )
{
	supFraming framing = supBeginFraming( azimuth, elevation, SUP_VIEW_TANGENT, aspect, SUP_VIEW_FILL );
	supVec3 half = supScale( 0.5f, supBox_Size( box ) );
	float x = 0.0f, y = 0.0f, z = 0.0f;
	for ( int k = 0; k < 4; ++k )
	{
		supVec3 corner = { half.x, k & 1 ? half.y : -half.y, k & 2 ? half.z : -half.z };
		x = supMaxFloat( x, fabsf( supDot( corner, framing.right ) ) );
		y = supMaxFloat( y, fabsf( supDot( corner, framing.up ) ) );
		z = supMaxFloat( z, fabsf( supDot( corner, framing.forward ) ) );
	}
	return supMaxFloat( x / framing.tanX, y / framing.tanUp ) / supMaxFloat( 2.0f * z, 1e-20f );
}

// A part of the body is seen through a longer lens from about as far away as the whole: from near, what is in front of
// it would be around the camera. So is a body that is deep, such as a horse from behind, which would be all tail.
static bool ChooseLens( Camera* camera, const CameraSubject* subject, float aspect )
{
	camera->tanHalf = SUP_VIEW_TANGENT;
	camera->fill = SUP_VIEW_FILL;
	supBox whole, part;
	if ( MeasureRest( subject, &whole, &part ) == false )
	{
		return false;
	}
	if ( subject->focus < 0 )
	{
		float depth = CompareDepth( whole, subject->azimuth, camera->choice.elevation, aspect );
		camera->tanHalf *= supClampFloat( depth / MIN_DISTANCE_RATIO, MIN_LENS_RATIO, 1.0f );
		return true;
	}
	float ratio = supLength( supBox_Size( part ) ) / supMaxFloat( supLength( supBox_Size( whole ) ), 1e-20f );
	camera->tanHalf *= supClampFloat( ratio, MIN_LENS_RATIO, 1.0f );
	camera->fill = FOCUS_FILL;
	return true;
}

bool AimCamera( Camera* camera, int32_t index, const FacingMean* mean, float aspect, int32_t sampleCount )
{
	CameraSubject* subject = camera->subjects + index;
	supVec3 forward = mean != NULL ? mean->sum : subject->facing.forward;
	// a body that spins or lies has no direction
	forward = supLength( forward ) > 0.1f ? forward : subject->facing.forward;
	subject->azimuth = camera->choice.azimuth + ( camera->choice.relative ? supFacing_Azimuth( forward ) : 0.0f );
	supFree( subject->samples );
	supFree( subject->path );
	subject->path = NULL;
	subject->samples = supAllocZeroed( (size_t)sampleCount * sizeof( CameraSample ) );
	subject->sampleCount = 0;
	// side by side all are seen through the same lens
	if ( subject->samples == NULL || ( index == 0 && ChooseLens( camera, subject, aspect ) == false ) )
	{
		return false;
	}
	subject->framing =
		supBeginFraming( subject->azimuth, camera->choice.elevation, camera->tanHalf, aspect, camera->fill );
	supFraming_ReserveBelow( &subject->framing, camera->footer );
	for ( int32_t i = 0; i < sampleCount; ++i )
	{
		subject->samples[i] = ( CameraSample ){ .framing = subject->framing, .box = supBox_empty };
	}
	return true;
}

void IncludeInstance( const CameraSubject* subject, int32_t instance, const supVec3* positions, CameraSample* sample )
{
	if ( subject->scenery[instance] )
	{
		return;
	}
	const supCharacter* character = subject->character;
	const bool* marks = subject->focused;
	for ( int32_t i = 0; i < instance && marks != NULL; ++i )
	{
		marks += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh )->vertexCount;
	for ( int32_t v = 0; v < count; ++v )
	{
		if ( marks == NULL || marks[v] )
		{
			supFraming_Include( &sample->framing, positions + v, 1, supVec3_zero );
			sample->box = supBox_Include( sample->box, positions[v] );
		}
	}
}

void IncludeFocus( const CameraSubject* subject, supPose* pose, CameraSample* sample )
{
	supBox whole, part;
	if ( subject->focus < 0 || supFraming_IsEmpty( &sample->framing ) == false ||
		 MeasureRest( subject, &whole, &part ) == false )
	{
		return;
	}
	supVec3 room = supScale( 0.5f, supBox_Size( part ) ), middle = supPose_Worlds( pose )[subject->focus].t;
	supVec3 corners[2] = { supSub( middle, room ), supAdd( middle, room ) };
	for ( int32_t i = 0; i < SUP_COUNT( corners ); ++i )
	{
		supFraming_Include( &sample->framing, corners + i, 1, supVec3_zero );
		sample->box = supBox_Include( sample->box, corners[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Placing

static supVec3 MiddleOf( supBox box )
{
	return supBox_IsEmpty( box ) ? supVec3_zero : supLerp( box.lower, box.upper, 0.5f );
}

// Averages the path over a window around each sample, nearer ones counting more.
static void SmoothPath( const CameraSubject* subject, const supVec3* path, supVec3* smooth )
{
	for ( int32_t i = 0; i < subject->sampleCount; ++i )
	{
		supVec3 sum = supVec3_zero;
		float total = 0.0f;
		for ( int32_t k = 0; k < subject->sampleCount; ++k )
		{
			float away = fabsf( subject->samples[k].time - subject->samples[i].time ) / PATH_WINDOW_S;
			float weight = supMaxFloat( 1.0f - away, 0.0f );
			sum = supMulAdd( sum, weight, path[k] );
			total += weight;
		}
		smooth[i] = supScale( 1.0f / total, sum );
	}
}

static bool FindPath( CameraSubject* subject, bool smoothly )
{
	size_t count = (size_t)subject->sampleCount;
	supVec3* raw = supAllocArray( count, sizeof( supVec3 ) );
	supVec3* smooth = supAllocArray( count, sizeof( supVec3 ) );
	if ( raw == NULL || smooth == NULL )
	{
		supFree( raw );
		supFree( smooth );
		return false;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		raw[i] = MiddleOf( subject->samples[i].box );
	}
	if ( smoothly )
	{
		SmoothPath( subject, raw, smooth );
	}
	subject->path = smoothly ? smooth : raw;
	supFree( smoothly ? raw : smooth );
	return true;
}

// Side by side the ground is at the same height.
static void ShareHeights( Camera* camera )
{
	float height = 0.0f;
	for ( int32_t i = 0; i < camera->subjectCount; ++i )
	{
		height += camera->subjects[i].place.y / (float)camera->subjectCount;
	}
	for ( int32_t i = 0; i < camera->subjectCount; ++i )
	{
		camera->subjects[i].place.y = height;
	}
	int32_t count = camera->subjects[0].sampleCount;
	for ( int32_t k = 0; k < count && camera->subjects[0].path != NULL; ++k )
	{
		height = 0.0f;
		for ( int32_t i = 0; i < camera->subjectCount; ++i )
		{
			height += camera->subjects[i].path[k].y / (float)camera->subjectCount;
		}
		for ( int32_t i = 0; i < camera->subjectCount; ++i )
		{
			camera->subjects[i].path[k].y = height;
		}
	}
}

// Frames all samples around the place or the path; every subject gets the framing of all. Returns how far away the
// subjects are on average.
static float Frame( Camera* camera, bool follows )
{
	float sides[4] = { -1e30f, -1e30f, -1e30f, -1e30f };
	for ( int32_t i = 0; i < camera->subjectCount; ++i )
	{
		CameraSubject* subject = camera->subjects + i;
		for ( int k = 0; k < 4; ++k )
		{
			subject->framing.sides[k] = -1e30f;
		}
		for ( int32_t k = 0; k < subject->sampleCount; ++k )
		{
			supFraming_IncludeFraming( &subject->framing, &subject->samples[k].framing,
									   follows ? subject->path[k] : subject->place );
		}
		for ( int k = 0; k < 4; ++k )
		{
			sides[k] = supMaxFloat( sides[k], subject->framing.sides[k] );
		}
	}
	// nothing to see
	for ( int k = 0; k < 4; ++k )
	{
		sides[k] = sides[k] > -1e30f ? sides[k] : 1.0f;
	}
	float depth = 0.0f;
	int32_t count = 0;
	for ( int32_t i = 0; i < camera->subjectCount; ++i )
	{
		CameraSubject* subject = camera->subjects + i;
		memcpy( subject->framing.sides, sides, sizeof( sides ) );
		for ( int32_t k = 0; k < subject->sampleCount; ++k, ++count )
		{
			supVec3 off = supSub( MiddleOf( subject->samples[k].box ), follows ? subject->path[k] : subject->place );
			depth += supFraming_Distance( &subject->framing ) + supDot( off, subject->framing.forward );
		}
	}
	return depth / (float)( count > 0 ? count : 1 );
}

bool FinishCamera( Camera* camera, CameraFollow follow )
{
	bool ok = true;
	for ( int32_t i = 0; i < camera->subjectCount && ok; ++i )
	{
		CameraSubject* subject = camera->subjects + i;
		supBox box = supBox_empty;
		for ( int32_t k = 0; k < subject->sampleCount; ++k )
		{
			if ( supBox_IsEmpty( subject->samples[k].box ) == false )
			{
				box = supBox_Include( box, subject->samples[k].box.lower );
				box = supBox_Include( box, subject->samples[k].box.upper );
			}
		}
		subject->place = MiddleOf( box );
		// a part of the body stays in the middle, however it moves
		ok = follow == follow_never || FindPath( subject, follow == follow_smoothly && subject->focus < 0 );
	}
	if ( ok == false )
	{
		return false;
	}
	ShareHeights( camera );
	if ( follow == follow_never )
	{
		Frame( camera, false );
		return true;
	}
	float still = Frame( camera, false ), following = Frame( camera, true );
	float gain = follow == follow_smoothly ? FILM_GAIN : SHEET_GAIN;
	bool follows = camera->subjects[0].focus >= 0 || still > gain * following;
	if ( follows == false )
	{
		Frame( camera, false );
		for ( int32_t i = 0; i < camera->subjectCount; ++i )
		{
			supFree( camera->subjects[i].path );
			camera->subjects[i].path = NULL;
		}
	}
	return true;
}

// By the boxes of the samples.
float GetPanelScale( const Camera* camera, float aspect )
{
	float distance = 0.0f;
	for ( int32_t i = 0; i < camera->subjectCount; ++i )
	{
		const CameraSubject* subject = camera->subjects + i;
		supFraming framing =
			supBeginFraming( subject->azimuth, camera->choice.elevation, camera->tanHalf, aspect, camera->fill );
		supFraming_ReserveBelow( &framing, camera->footer );
		for ( int32_t k = 0; k < subject->sampleCount; ++k )
		{
			supBox box = subject->samples[k].box;
			for ( int corner = 0; corner < 8 && supBox_IsEmpty( box ) == false; ++corner )
			{
				supVec3 point = { corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
								  corner & 4 ? box.upper.z : box.lower.z };
				supFraming_Include( &framing, &point, 1, subject->path != NULL ? subject->path[k] : subject->place );
			}
		}
		distance = supFraming_IsEmpty( &framing ) ? distance : supMaxFloat( distance, supFraming_Distance( &framing ) );
	}
	return 0.5f / ( camera->tanHalf * supMaxFloat( distance, 1e-20f ) );
}

supView GetCameraView( const Camera* camera, int32_t index, float time )
{
	const CameraSubject* subject = camera->subjects + index;
	supVec3 place = subject->place;
	if ( subject->path != NULL )
	{
		int32_t at = 0;
		while ( at + 2 < subject->sampleCount && subject->samples[at + 1].time < time )
		{
			at += 1;
		}
		int32_t next = at + 1 < subject->sampleCount ? at + 1 : at;
		float from = subject->samples[at].time, to = subject->samples[next].time;
		float t = to > from ? supClampFloat( ( time - from ) / ( to - from ), 0.0f, 1.0f ) : 0.0f;
		place = supLerp( subject->path[at], subject->path[next], t );
	}
	return supFraming_View( &subject->framing, supAdd( place, camera->drift ), camera->zoom );
}
