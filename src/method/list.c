// SPDX-License-Identifier: MIT
// The list of methods, and flesh.
#include "method/build_check.h"
#include "method/build_pose.h"
#include "method/method.h"
#include "volume/softness/soft_reach.h"
#include "volume/weights/bridges.h"

#define FLESH_COOKIE 0x466C6573

static const supMethod* const s_methods[sup_methodCount] = {
	[sup_methodLbs] = &supMethod_lbs,           [sup_methodDqs] = &supMethod_dqs,
	[sup_methodPosition] = &supMethod_position, [sup_methodLattice] = &supMethod_lattice,
	[sup_methodPoints] = &supMethod_points,     [sup_methodLayered] = &supMethod_layered,
	[sup_methodFem] = &supMethod_fem,           [sup_methodModes] = &supMethod_modes,
};

const supMethod* supGetMethod( supMethodId id )
{
	SUP_ASSERT( 0 <= (int)id && id < sup_methodCount );
	return s_methods[id];
}

const char* supMethodName( supMethodId id )
{
	return supGetMethod( id )->name;
}

const char* supMethodSummary( supMethodId id )
{
	return supGetMethod( id )->summary;
}

bool supFindMethod( const char* name, supMethodId* method )
{
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		if ( strcmp( s_methods[i]->name, name ) == 0 )
		{
			*method = (supMethodId)i;
			return true;
		}
	}
	return false;
}

int32_t supMethod_ParameterCount( supMethodId id )
{
	return supGetMethod( id )->parameterCount;
}

const supParameter* supMethod_Parameter( supMethodId id, int32_t parameter )
{
	const supMethod* method = supGetMethod( id );
	SUP_ASSERT( 0 <= parameter && parameter < method->parameterCount );
	return method->parameters + parameter;
}

float supJointPoseTime( float start, float end, int32_t index, int32_t count )
{
	return start + (float)index / (float)( count - 1 ) * ( end - start );
}

int32_t supMethod_BuildTimes( supMethodId id, float start, float end, float* times )
{
	const supMethod* method = supGetMethod( id );
	int32_t count = 0, joints = 0, bridges = method->createFlesh != NULL ? 0 : SUP_BRIDGE_POSES;
	_Static_assert( SUP_BRIDGE_POSES + 48 <= SUP_MAX_BUILD_TIMES, "room for all" );
	while ( bridges < SUP_BRIDGE_POSES || joints < method->jointPoses )
	{
		float bridge = supBridges_PoseTime( start, end, bridges, SUP_BRIDGE_POSES );
		float joint = joints < method->jointPoses ? supJointPoseTime( start, end, joints, method->jointPoses ) : 0.0f;
		bool isBridge = joints == method->jointPoses || ( bridges < SUP_BRIDGE_POSES && bridge <= joint );
		times[count++] = isBridge ? bridge : joint;
		bridges += isBridge ? 1 : 0;
		joints += isBridge ? 0 : 1;
	}
	return count;
}

static int32_t FindParameter( const supMethod* method, const char* name )
{
	for ( int32_t i = 0; i < method->parameterCount; ++i )
	{
		if ( strcmp( method->parameters[i].name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

int32_t supMethod_FindParameter( supMethodId id, const char* name )
{
	return FindParameter( supGetMethod( id ), name );
}

supFleshDef supDefaultFleshDef( void )
{
	return ( supFleshDef ){ .method = sup_methodDqs, .cookie = FLESH_COOKIE };
}

supJointSetting supDefaultJointSetting( int32_t node )
{
	return ( supJointSetting ){ .node = node, .strength = 1.0f, .stiffness = -1.0f, .damping = -1.0f };
}

static bool SetParameter( supFlesh* flesh, const supSetting* setting, supError* error )
{
	const supMethod* method = flesh->method;
	int32_t index = FindParameter( method, setting->parameter );
	if ( index < 0 )
	{
		return supSetError( error, sup_errorArgument, setting->parameter,
							"the method %s has no such parameter; 'supple methods %s' lists them", method->name,
							method->name );
	}
	const supParameter* parameter = method->parameters + index;
	// written so that what is not a number fails too
	if ( !( setting->value >= parameter->minimum && setting->value <= parameter->maximum ) )
	{
		return supSetError( error, sup_errorArgument, setting->parameter, "must be %g to %g (got %g)",
							parameter->minimum, parameter->maximum, setting->value );
	}
	flesh->parameters[index] = setting->value;
	return true;
}

static bool SetParameters( supFlesh* flesh, const supFleshDef* def, supError* error )
{
	const supMethod* method = flesh->method;
	flesh->parameters = supArena_AllocArray( &flesh->arena, (size_t)method->parameterCount, sizeof( float ) );
	if ( flesh->parameters == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < method->parameterCount; ++i )
	{
		flesh->parameters[i] = method->parameters[i].standard;
	}
	bool ok = true;
	for ( int32_t i = 0; ok && i < def->settingCount; ++i )
	{
		ok = SetParameter( flesh, def->settings + i, error );
	}
	if ( ok && method->completeParameters != NULL )
	{
		method->completeParameters( def, flesh->parameters );
	}
	return ok;
}

static bool CopySoftRegions( supFlesh* flesh, const supFleshDef* def )
{
	size_t count = (size_t)def->softRegionCount;
	flesh->softRegions =
		count > 0 ? supArena_CopyArray( &flesh->arena, def->softRegions, count, sizeof( supSoftRegion ) ) : NULL;
	flesh->softRegionCount = flesh->softRegions != NULL ? def->softRegionCount : 0;
	for ( int32_t i = 0; i < flesh->softRegionCount; ++i )
	{
		supSoftRegion* region = flesh->softRegions + i;
		size_t vertices = region->vertexCount > 0 ? (size_t)region->vertexCount : 0;
		region->name = flesh->regionNames[i];
		region->vertices = region->vertices != NULL
							   ? supArena_CopyArray( &flesh->arena, region->vertices, vertices, sizeof( int32_t ) )
							   : NULL;
		region->values = region->values != NULL
							 ? supArena_CopyArray( &flesh->arena, region->values, vertices, sizeof( float ) )
							 : NULL;
	}
	return flesh->arena.failed == false;
}

static bool SetRegions( supFlesh* flesh, const supFleshDef* def, supError* error )
{
	static const supSoftRegion automatic = { .name = "body" };
	const supSoftRegion* regions = def->softRegionCount > 0 ? def->softRegions : &automatic;
	int32_t count = def->softRegionCount > 0 ? def->softRegionCount : 1;
	flesh->regionNames = supArena_AllocArray( &flesh->arena, (size_t)count, sizeof( char* ) );
	flesh->regions = supArena_AllocArray( &flesh->arena, (size_t)count, sizeof( supRegionTuning ) );
	flesh->regionCount = count;
	for ( int32_t i = 0; flesh->arena.failed == false && i < count; ++i )
	{
		flesh->regions[i] = ( supRegionTuning ){ regions[i].frequency, regions[i].damping };
		flesh->regionNames[i] = regions[i].name != NULL ? supArena_CopyString( &flesh->arena, regions[i].name )
														: supArena_Format( &flesh->arena, "region %d", i + 1 );
	}
	return flesh->arena.failed || CopySoftRegions( flesh, def ) == false ? supSetMemoryError( error ) : true;
}

// Refuses what cannot be built of, and moves a body that stands far away to the origin.
static bool PlaceBody( const supFlesh* flesh, const supFleshDef* def, const supTasks* tasks, supBuildPose* pose,
					   supError* error )
{
	supBuildSize size;
	return supMeasureBuild( pose->character, tasks, &size, error ) &&
		   supCheckBuild( pose->character, flesh->method, &size, error ) &&
		   ( supIsFarOut( &size ) == false || supBuildPose_Recenter( pose, size.center, def, error ) );
}

static bool CreateOwn( supFlesh* flesh, const supFleshDef* def, const supTasks* tasks, supError* error )
{
	if ( flesh->method->createFlesh == NULL )
	{
		return true;
	}
	supBuildPose pose = { .character = flesh->character };
	if ( ( flesh->method->keepsRestPose || supBuildPose_Init( &pose, flesh->character, def, tasks, error ) ) &&
		 PlaceBody( flesh, def, tasks, &pose, error ) )
	{
		supFleshInput input = { pose.character, def, flesh->parameters, tasks };
		flesh->own = flesh->method->createFlesh( &input, error );
	}
	supBuildPose_Destroy( &pose );
	return flesh->own != NULL;
}

static bool CheckTets( const supMethod* method, const supTetMesh* mesh, supError* error )
{
	if ( method->takesTets == false )
	{
		return supSetError( error, sup_errorArgument, "tets", "the method %s has no tetrahedra", method->name );
	}
	for ( int64_t i = 0; i < 4 * (int64_t)mesh->tetCount; ++i )
	{
		if ( mesh->indices[i] < 0 || mesh->indices[i] >= mesh->pointCount )
		{
			return supSetError( error, sup_errorArgument, "tets", "tetrahedron %lld uses point %d of %d",
								(long long)( i / 4 ), mesh->indices[i], mesh->pointCount );
		}
	}
	for ( int32_t i = 0; i < mesh->pointCount; ++i )
	{
		if ( supIsFiniteVec3( mesh->points[i] ) == false )
		{
			return supSetError( error, sup_errorArgument, "tets", "point %d is not finite", i );
		}
	}
	return mesh->tetCount > 0 || supSetError( error, sup_errorArgument, "tets", "the mesh has no tetrahedra" );
}

static bool CheckJoint( const supJointSetting* joint, int32_t index, const supCharacter* character, supError* error )
{
	if ( joint->node < 0 || joint->node >= supCharacter_NodeCount( character ) )
	{
		return supSetError( error, sup_errorArgument, "joints", "joint %d: node %d does not exist", index,
							joint->node );
	}
	const char* name = supCharacter_Node( character, joint->node )->name;
	if ( !( joint->strength >= 0.0f ) || supIsFinite( joint->strength ) == false )
	{
		return supSetError( error, sup_errorArgument, "joints", "\"%.60s\": strength must be 0 or more (got %g)", name,
							(double)joint->strength );
	}
	for ( int32_t i = 0; i < 2; ++i )
	{
		if ( joint->hasLimits[i] && !( joint->lower[i] <= joint->upper[i] ) )
		{
			return supSetError( error, sup_errorArgument, "joints",
								"\"%.60s\": the lower limit must not be above the upper one (got %g to %g radians)",
								name, (double)joint->lower[i], (double)joint->upper[i] );
		}
	}
	bool ok = (int)joint->kind >= 0 && joint->kind < sup_jointKindCount && supIsFiniteVec3( joint->axis ) &&
			  supIsFiniteVec3( joint->secondAxis ) && supIsFiniteVec3( joint->middle ) && joint->swing >= 0.0f &&
			  supIsFinite( joint->stiffness ) && supIsFinite( joint->damping );
	return ok || supSetError( error, sup_errorArgument, "joints",
							  "\"%.60s\": kind must be a supJointKind, swing 0 or more, and all numbers finite", name );
}

static bool CheckJoints( const supMethod* method, const supFleshDef* def, const supCharacter* character,
						 supError* error )
{
	if ( def->jointCount > 0 && method->takesJoints == false )
	{
		return supSetError( error, sup_errorArgument, "joints", "the method %s has no joints; use layered",
							method->name );
	}
	bool ok = true;
	for ( int32_t i = 0; ok && i < def->jointCount; ++i )
	{
		ok = CheckJoint( def->joints + i, i, character, error );
	}
	return ok;
}

// Settings serve all methods, so that what one of them does not use is no error; but it is said.
static void WarnOfLayers( const supMethod* method, const supFleshDef* def )
{
	if ( method->takesLayers == false && ( def->layerCount > 0 || def->layerOverrideCount > 0 ) )
	{
		supLog( sup_logWarning, "the method %s ignores layers; lattice, fem and position with mode=compliant use them",
				method->name );
	}
	else if ( method->takesLayerParts == false && def->layerOverrideCount > 0 )
	{
		supLog( sup_logWarning, "the method %s ignores layers of parts; lattice uses them", method->name );
	}
}

supFlesh* supBuildFleshWith( const supCharacter* character, const supMethod* method, const supFleshDef* def,
							 const supTasks* tasks, supError* error )
{
	supClearError( error );
	if ( def->lattice != NULL && method->takesLattice == false )
	{
		supSetError( error, sup_errorArgument, "lattice", "the method %s has no control lattice", method->name );
		return NULL;
	}
	if ( ( def->tets != NULL && CheckTets( method, def->tets, error ) == false ) ||
		 CheckJoints( method, def, character, error ) == false )
	{
		return NULL;
	}
	supFlesh* flesh = supAllocZeroed( sizeof( supFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	flesh->character = character;
	flesh->method = method;
	if ( SetParameters( flesh, def, error ) == false || SetRegions( flesh, def, error ) == false ||
		 supFindReaches( flesh->character, def->softRegions, def->softRegionCount, &flesh->arena, &flesh->reaches,
						 &flesh->reachCount, error ) == false ||
		 CreateOwn( flesh, def, tasks, error ) == false )
	{
		supDestroyFlesh( flesh );
		return NULL;
	}
	flesh->hash = supHashFleshDef( method, def, flesh->parameters );
	if ( method->createFlesh != NULL )
	{
		WarnOfLayers( method, def );
	}
	return flesh;
}

supFlesh* supBuildFlesh( const supCharacter* character, const supFleshDef* def, const supTasks* tasks, supError* error )
{
	SUP_ASSERT( def->cookie == FLESH_COOKIE );
	return supBuildFleshWith( character, supGetMethod( def->method ), def, tasks, error );
}

void supDestroyFlesh( supFlesh* flesh )
{
	if ( flesh != NULL )
	{
		if ( flesh->own != NULL && flesh->method->destroyFlesh != NULL )
		{
			flesh->method->destroyFlesh( flesh->own );
		}
		if ( flesh->backing != NULL )
		{
			flesh->freeBacking( flesh->backing );
		}
		supArena_Destroy( &flesh->arena );
		supFree( flesh );
	}
}

const supCharacter* supFlesh_Character( const supFlesh* flesh )
{
	return flesh->character;
}

const char* supFlesh_MethodName( const supFlesh* flesh )
{
	return flesh->method->name;
}

float supFlesh_Parameter( const supFlesh* flesh, int32_t parameter )
{
	SUP_ASSERT( 0 <= parameter && parameter < flesh->method->parameterCount );
	return flesh->parameters[parameter];
}

int32_t supFlesh_RegionCount( const supFlesh* flesh )
{
	return flesh->regionCount;
}

const char* supFlesh_RegionName( const supFlesh* flesh, int32_t region )
{
	SUP_ASSERT( 0 <= region && region < flesh->regionCount );
	return flesh->regionNames[region];
}
