// SPDX-License-Identifier: BSD-3-Clause
#include "paper_quotes.hpp"

#include <fmt/format.h>

#include "weft/error.hpp"

namespace weft::tool {
namespace {

constexpr Quote quotes[] = {
    // Wafer-Scale Fast Fourier Transforms
    {"wsfft 959", "abstract",
     "we achieve 959 microseconds for 3D FFT of a 512^3 complex input array using a 512 x 512 "
     "subgrid"},
    {"wsfft eq 3", "Eq. (3)", "TT_commFP16(n) = n^2/2 + 29.5n - 30"},
    {"wsfft eq 4", "Eq. (4)", "TT_commFP32(n) = n^2 + 29n - 30"},
    {"wsfft pencils", "Section 5.1",
     "3n log_2 n + 34n + 34 log_2 n with FP16, and 6.5n log_2 n + 35n + 36 log_2 n with FP32"},
    {"wsfft figure 3", "Section 5.1, on Fig. 3",
     "The last experimental datapoint yields 0.89 flops per cycle with FP16 and 0.57 with FP32"},
    {"wsfft 850,000", "Section 5.1",
     "850,000 parallel 1D FFTs (n = 2048) would be 612 Tflops/s with FP16 and 409 Tflops/s with "
     "FP32"},
    {"wsfft table 1, 32", "Table 1", "32^3 32 x 32 10,953 13,633"},
    {"wsfft table 1, 64", "Table 1", "64^3 64 x 64 24,000 32,176"},
    {"wsfft table 1, 128", "Table 1", "128^3 128 x 128 56,741 82,405"},
    {"wsfft table 1, 256", "Table 1", "256^3 256 x 256 147,247 236,329"},
    {"wsfft table 1, 512", "Table 1", "512^3 512 x 512 471,064 815,371"},
    {"wsfft table 2, 256 f32", "Table 2", "256^3 32-bit wsFFT on CS-2 7.2"},
    {"wsfft table 2, 256 f16", "Table 2", "256^3 16-bit wsFFT on CS-2 11.6"},
    {"wsfft table 2, 512 f32", "Table 2", "512^3 32-bit wsFFT on CS-2 18.9"},
    {"wsfft table 2, 512 f16", "Table 2", "512^3 16-bit wsFFT on CS-2 32.7"},
    {"wsfft bandwidth", "Section 5.3",
     "the total bandwidth utilized by the 512 x 512 routers involved in computing a 512^3 FFT is "
     "0.8 Petabytes/s"},
    {"wsfft speed-ups", "Section 5.3",
     "we observe a 2.85x speedup when scaling FP32 256^3 from 64 x 64 to 128 x 128, and a 2.54x "
     "speedup on the next scaling step"},
    {"wsfft eq 5", "inequality (5)", "TT_commFP32(n) <= 2 * TT_commFP16(n)"},
    {"wsfft eq 7", "inequality (7)", "TT_comm(n,m) <= m * TT_comm(n,1)"},
    {"wsfft host", "Section 1, on data placement",
     "The maximum transfer bandwidth to the wafer is 1.2 Terabits/s for the current generation of "
     "the WSE, so transferring a 512^3 array would take at least 14 ms"},
    {"wsfft bisection", "Section 6.2",
     "we can send 512 four-byte words per clock across the bisection, in each direction, and at "
     "850 MHz which equates to 3.5 TB/s of bisection bandwidth"},
    {"wsfft 2-D", "Section 6.1",
     "it would take n^2/4/sqrt(n) cycles to get that data across with FP16 and twice as much for "
     "FP32"},
    {"wsfft 1.8", "Section 5.3", "the communication time with FP32 for n = 512 is 1.8x longer"},
    {"wsfft 1024 on 512", "Section 5.4",
     "we would obtain 22.5 Tflops/s on a 512 x 512 submesh of the current CS-2. With "
     "half-precision, the performance is 36 Tflops/s"},
    {"wsfft 1024 on 1024", "Section 5.4",
     "1024 PEs per dimension would achieve 49.7 Tflops/s using single-precision and 80 Tflops/s "
     "using half-precision"},
    // The same paper on heFFTe, whose own paper prints no such numbers.
    {"heffte 256", "Table 2 of the wsFFT paper", "256^3 64-bit HeFFTe [1] on 32-node Summit 0.5"},
    {"heffte 512", "Table 2 of the wsFFT paper", "512^3 64-bit HeFFTe [1] on 64-node Summit 1.3"},
    {"heffte 1024", "Table 2 of the wsFFT paper",
     "1024^3 64-bit HeFFTe [1] on 1024-node Summit ~9"},
    {"heffte steps", "Section 5.4 of the wsFFT paper",
     "scaling steps, from 256 to 512 nodes, and 512 to 1024, yield less than 50% performance "
     "improvement"},
    // heFFTe: Highly Efficient FFT for Exascale
    {"heffte eq 3", "Eq. (3)", "5P log(N) * 25 / (16 * 4) = 1.953P log(N)"},
    {"heffte figure 8", "Section 3, on Fig. 8",
     "for a typical FFT of size N = 1024^3, and compares it to the roofline peak for increasing "
     "number of nodes, getting about to 90% close to peak value"},
    {"heffte eq 1", "Eq. (1)", "phi := P C / M = 5P log(N) / (alpha r)"},
    {"heffte figure 4", "Section 4, on Fig. 4",
     "strong scalability comparison between heFFTe GPU and CPU implementations, being the former "
     "~2x faster than the latter"},
    {"heffte drop", "Section 4, on Fig. 4",
     "Drop in performance for the CPU implementation after 512 nodes (12,288 cores) is due to "
     "latency impact"},
    {"heffte figure 6", "Section 4, on Fig. 6",
     "over 40x speedup of local kernels and the great impact of communication are clearly "
     "displayed"},
    {"heffte 90 share", "Section 5.4 of the wsFFT paper",
     "They found that the data redistribution phases take over 90% of the time on Summit"},
    // FFT for the APE Parallel Computer
    {"ape eq 4", "Eq. (4)", "t_ipc ~ 1/p (p_0 + p_1 + p_2 + 6)"},
    {"ape naive", "Section 4, on Fig. 8",
     "The naive expectation from Eq. 4 for cubic machine topologies would be -0.66"},
    {"ape mille", "Section 6",
     "On APEmille, we expect to achieve a performance for FFT of about 15 % of the theoretical "
     "peak performance"},
    {"ape skew", "Section 1", "a novel skewing algorithm that proceeds in log p steps"},
    {"ape eq 3", "Eq. (3)", "p/2 (p_0 + p_1 + p_2 + 3)"},
    {"ape exponent", "Section 4, on Fig. 8", "reveals an exponent alpha of -0.76"},
    {"ape crossing", "Section 4, on Fig. 7", "two curves intersect each other for about n = 1024"},
    {"ape 8192", "Section 5.1",
     "We are able to compute an FFT on the corresponding date set of about 512 Mbyte in 4 seconds. "
     "This means that we are working at about 9% of the peak performance"},
    {"ape back", "Section 5.1",
     "If we perform the complete FFT including the back-transposition, we achieve about 6% of the "
     "peak performance"},
    // Automatic Generation of the HPC Challenge's Global FFT Benchmark for BlueGene/P
    {"spiral 32 racks", "abstract",
     "on up to 128k cores (32 racks) of ANL's BlueGene/P \"Intrepid\" and achieved 6.4 Tflop/s"},
};

}  // namespace

const Quote* quote(std::string_view key) {
  for (const Quote& one : quotes)
    if (one.key == key) return &one;
  throw Error(ErrorCode::internal, fmt::format("no quote '{}'", key));
}

}  // namespace weft::tool
