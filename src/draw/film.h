// SPDX-License-Identifier: MIT
// Films through ffmpeg, which runs as a process of its own.
#pragma once

#include "draw/picture.h"

typedef struct supFilm supFilm;

// .mp4 (H.264), .webm (VP9) or .gif, by the extension. ffmpeg writes beside the target; supFilm_Close renames.
// An error says so where ffmpeg is not installed.
supFilm* supFilm_Open( const char* path, int32_t width, int32_t height, float framesPerSecond, supError* error );

// - the picture has the film's size
bool supFilm_Add( supFilm* film, const supPicture* picture, supError* error );

// Finishes and frees the film. With `keep` false, or where ffmpeg failed, nothing is left behind.
bool supFilm_Close( supFilm* film, bool keep, supError* error );
