// SPDX-License-Identifier: MIT
// The elastic energy at one place of a body, and its derivatives. Pure functions in double precision.
//
// With the deformation gradient F = I + sum of q_a g_a^T (g_a the gradient of function a) and Green's strain
// E = ( F^T F - I ) / 2,
//
//     W    = G ( l tr(E)^2 + E:E ),   l = nu / ( 1 - 2 nu )                          (Capell et al. 2002, Eq. 10)
//     S    = 2 G ( l tr(E) I + E ),   P = dW/dF = F S,   dW/dq_a = P g_a
//     H_ab = ( g_a.S g_b ) I + 2 G l ( F g_a )( F g_b )^T + G [ ( F g_b )( F g_a )^T + ( g_a.g_b ) F F^T ]
//     K_ab = H_ab at rest = 2 G l g_a g_b^T + G g_b g_a^T + G ( g_a.g_b ) I
//
// This energy gives way under compression: squeezed along one axis to less than 58 % of its length a body pushes back
// ever less, and turns inside out. The guard is what is added where J = det F is below SUP_ELASTIC_GUARD,
//
//     k/2 ( SUP_ELASTIC_GUARD - J )^2,   k = 10 G ( 1 + l )
//
// which is defined for inverted places too and pushes them back. Above, the energy is the paper's.
#pragma once

#include "core/core.h"

#define SUP_ELASTIC_GUARD 0.5

// Moduli times the volume that the place stands for, in joules.
typedef struct supElasticLaw
{
	double shear;  // G V
	double lambda; // G l V
} supElasticLaw;

// Rows.
typedef struct supGradientF
{
	double f[3][3];
} supGradientF;

double supElastic_Energy( supElasticLaw law, const supGradientF* f, bool guarded );

// P.
supGradientF supElastic_Stress( supElasticLaw law, const supGradientF* f, bool guarded );

// What the second derivative needs at one place. With `definite` the negative eigenvalues of S are left out, and so is
// what the guard has of them: H is then positive semidefinite.
typedef struct supElasticHessian
{
	supElasticLaw law;
	supGradientF f;
	supGradientF s;
	supGradientF ff; // F F^T
	double guard;    // k, 0 where J is large enough
	supGradientF cofactor;
} supElasticHessian;

supElasticHessian supMakeElasticHessian( supElasticLaw law, const supGradientF* f, bool definite, bool guarded );

// What a function of gradient g brings to all blocks that it takes part in.
typedef struct supElasticNode
{
	double g[3];
	double f[3]; // F g
	double s[3]; // S g
	double k[3]; // cofactor of F times g, where the guard acts
} supElasticNode;

supElasticNode supElasticHessian_Node( const supElasticHessian* hessian, const double g[3] );

// H_ab, column by column.
void supElasticHessian_Block( const supElasticHessian* hessian, const supElasticNode* a, const supElasticNode* b,
							  double block[9] );

// K_ab, column by column.
void supElastic_LinearBlock( supElasticLaw law, const double ga[3], const double gb[3], double block[9] );

double supGradientF_Determinant( const supGradientF* f );
