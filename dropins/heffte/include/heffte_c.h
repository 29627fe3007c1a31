/* SPDX-License-Identifier: BSD-3-Clause */
/* heFFTe's interface for C, on weft. Boxes are inclusive, index 0 is adjacent in memory unless an
   order (fastest first) says otherwise. The letters s, d, c, z are float, double and their complex
   numbers, which are two adjacent reals. */
#ifndef HEFFTE_C_H
#define HEFFTE_C_H

#include <mpi.h>

#include "heffte_c_defines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0; 1: there is no such backend. */
int heffte_set_default_options(int backend, heffte_plan_options* options);

/* Collective. 0; 1: there is no such backend; 2: the boxes do not make up an array, or weft could
   not plan: a line on standard error says what is wrong. Orders and options may be NULL. */
int heffte_plan_create(int backend, const int inbox_low[3], const int inbox_high[3],
                       const int* inbox_order, const int outbox_low[3], const int outbox_high[3],
                       const int* outbox_order, MPI_Comm const comm,
                       const heffte_plan_options* options, heffte_plan* plan);
/* Real input, and half of the spectrum along one direction as output. */
int heffte_plan_create_r2c(int backend, const int inbox_low[3], const int inbox_high[3],
                           const int* inbox_order, const int outbox_low[3],
                           const int outbox_high[3], const int* outbox_order, int r2c_direction,
                           MPI_Comm const comm, const heffte_plan_options* options,
                           heffte_plan* plan);
/* Collective. 0; 3: not a plan. */
int heffte_plan_destroy(heffte_plan plan);

int heffte_size_inbox(heffte_plan const plan);
int heffte_size_outbox(heffte_plan const plan);
int heffte_size_workspace(heffte_plan const plan); /* in complex numbers */
int heffte_get_backend(heffte_plan const plan);
int heffte_is_r2c(heffte_plan const plan);

/* Collective. A call that fails writes a line to standard error and leaves the output as it is. */
void heffte_forward_s2c(heffte_plan const plan, const float* input, void* output, int scale);
void heffte_forward_c2c(heffte_plan const plan, const void* input, void* output, int scale);
void heffte_forward_d2z(heffte_plan const plan, const double* input, void* output, int scale);
void heffte_forward_z2z(heffte_plan const plan, const void* input, void* output, int scale);

void heffte_backward_c2s(heffte_plan const plan, const void* input, float* output, int scale);
void heffte_backward_c2c(heffte_plan const plan, const void* input, void* output, int scale);
void heffte_backward_z2d(heffte_plan const plan, const void* input, double* output, int scale);
void heffte_backward_z2z(heffte_plan const plan, const void* input, void* output, int scale);

/* With a workspace of the caller's, heffte_size_workspace() complex numbers. */
void heffte_forward_s2c_buffered(heffte_plan const plan, const float* input, void* output,
                                 void* workspace, int scale);
void heffte_forward_c2c_buffered(heffte_plan const plan, const void* input, void* output,
                                 void* workspace, int scale);
void heffte_forward_d2z_buffered(heffte_plan const plan, const double* input, void* output,
                                 void* workspace, int scale);
void heffte_forward_z2z_buffered(heffte_plan const plan, const void* input, void* output,
                                 void* workspace, int scale);

void heffte_backward_c2s_buffered(heffte_plan const plan, const void* input, float* output,
                                  void* workspace, int scale);
void heffte_backward_c2c_buffered(heffte_plan const plan, const void* input, void* output,
                                  void* workspace, int scale);
void heffte_backward_z2d_buffered(heffte_plan const plan, const void* input, double* output,
                                  void* workspace, int scale);
void heffte_backward_z2z_buffered(heffte_plan const plan, const void* input, void* output,
                                  void* workspace, int scale);

#ifdef __cplusplus
}
#endif

#endif
