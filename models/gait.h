#pragma once
#include "creature.h"
void addBipedClips( creature* c );
