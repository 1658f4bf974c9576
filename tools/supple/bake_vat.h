// SPDX-License-Identifier: MIT
// Vertex animation textures.
#pragma once

#include "bake_write.h"

// "hero.png": hero.png (positions), hero.normals.png, hero.vat.glb, hero.vat.json. Returns exit_ok or what to exit
// with.
int WriteVat( BakeOutput* output );

// Whether these four can be written and are none of the inputs. Returns exit_ok or what to exit with.
int CheckVatOutput( const Command* command, const char* path, const char* const* inputs, int32_t inputCount );
