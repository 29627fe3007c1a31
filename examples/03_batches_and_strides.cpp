// SPDX-License-Identifier: BSD-3-Clause
// Transforms the columns of a padded matrix in place. The plan measures recipes and takes the
// fastest, and runs on our own pool of threads. Two threads share the plan, each with its own
// workspace.
#include <complex>
#include <iostream>
#include <thread>
#include <vector>
#include <weft/weft.hpp>

int main() {
  const weft::Index rows = 100, columns = 60, padded = 64;
  const weft::Layout layout{{padded, 1}};
  const weft::Plan plan(
      weft::c2c({rows, columns}, {.axes = {0}}), layout, layout,
      {.effort = weft::Effort::measure, .executor = weft::thread_executor(2), .time_limit_s = 0.2});

  const auto transform_a_matrix = [&](std::complex<double> value, std::complex<double>& result) {
    std::vector<std::complex<double>> matrix(rows * padded, value);
    weft::Workspace workspace = plan.make_workspace();
    weft::View<std::complex<double>> view(matrix.data(), {rows, columns}, {padded, 1});
    plan.execute(view, view, workspace);
    result = view(0, columns - 1);
  };
  std::complex<double> first, second;
  std::thread other([&] { transform_a_matrix({2, 0}, second); });
  transform_a_matrix({1, 0}, first);
  other.join();

  std::cout << plan.recipe() << "\nsums of a column: " << first << ' ' << second << '\n';
  return first == std::complex<double>(100) && second == std::complex<double>(200) ? 0 : 1;
}
