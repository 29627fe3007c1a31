// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Call number `call` of this thread fails, counted from 0, of those that a stream carries out or
/// that wait for it; -1: none.
void stand_in_fail_at(long call);
/// As when the process ends: contexts can no longer be used.
void stand_in_shut_down(bool is_down);
long stand_in_calls();  ///< of this thread since
/// The stream of this thread's last launch.
const void* stand_in_last_stream();
/// As if a stream of the program, which the default stream waits for, were being captured into a
/// graph: what may not be called meanwhile fails. Kernels run all the same.
void stand_in_capture(bool is_on);
