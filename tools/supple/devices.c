// SPDX-License-Identifier: MIT
// supple devices: where crowds can be computed.
#include "commands.h"
#include "json.h"
#include "report.h"
#include "supple/device.h"

#include <stdio.h>

#define MAX_DEVICES 32

typedef struct DevicesSettings
{
	CommonSettings common;
} DevicesSettings;

static void WriteDevice( JsonWriter* json, const supDeviceInfo* info )
{
	JsonOpenObject( json, NULL );
	JsonText( json, "name", info->name );
	JsonText( json, "platform", info->platform );
	JsonText( json, "driver", info->driver );
	JsonText( json, "kind", info->isGpu ? "gpu" : "cpu" );
	JsonBool( json, "exact", info->isExact );
	JsonText( json, "problem", info->problem );
	JsonInteger( json, "compute_units", info->computeUnits );
	JsonInteger( json, "memory", info->memory );
	JsonInteger( json, "local_memory", info->localMemory );
	JsonCloseObject( json );
}

static void PrintDevice( const supDeviceInfo* info, bool quiet )
{
	if ( quiet )
	{
		printf( "%s\n", info->name );
		return;
	}
	printf( "%-4s %s\n     %s, driver %s, %d compute units, %.1f GB, %.0f KB local memory\n",
			info->isGpu ? "gpu" : "cpu", info->name, info->platform, info->driver, info->computeUnits,
			(double)info->memory / 1e9, (double)info->localMemory / 1024.0 );
	if ( info->isExact == false )
	{
		printf( "     not the same bits as the CPU: %s\n", info->problem );
	}
}

static int RunDevices( const Command* command, int argc, char** argv )
{
	DevicesSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	supDeviceInfo infos[MAX_DEVICES];
	supError error = { 0 };
	int32_t count = supListDevices( infos, MAX_DEVICES, &error );
	count = count < MAX_DEVICES ? count : MAX_DEVICES;
	JsonWriter json = { 0 };
	if ( settings.common.json )
	{
		json = BeginJson( stdout );
		JsonOpenArray( &json, NULL );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( settings.common.json )
		{
			WriteDevice( &json, infos + i );
		}
		else
		{
			PrintDevice( infos + i, settings.common.quiet );
		}
	}
	if ( settings.common.json )
	{
		JsonCloseArray( &json );
		EndJson( &json );
	}
	FreeArguments( &arguments );
	return count > 0 || settings.common.json ? exit_ok : ReportError( NULL, &error );
}

const Command g_devicesCommand = {
	.name = "devices",
	.summary = "list the compute devices",
	.usage = "[--json] [--quiet]",
	.about =
		"Lists the OpenCL devices of this machine: GPUs, and CPUs with a driver. 'supple bake --device NAME' takes \"gpu\", \"cpu\" or part of a name. --quiet prints only the names, one per line. Fails if there is none.",
	.examples = "supple devices\n"
				"supple bake builtin:bunny --clip Walk --device gpu -o walk.glb",
	.leastFiles = 0,
	.mostFiles = 0,
	.run = RunDevices,
};
