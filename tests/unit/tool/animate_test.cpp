// SPDX-License-Identifier: BSD-3-Clause
// weft animate: the contents of the page; also its behaviour, if Chromium is installed.
#include <map>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace weft::tool {
namespace {

using nlohmann::json;

const std::string data_begin = "<script id=\"film\" type=\"application/json\">";

class Animate : public ToolTest {
 protected:
  void shoot(const std::string& arguments) {
    const ToolRun result = run("animate " + arguments + " --output film.html");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    page_ = text_of("film.html");
    const std::size_t begin = page_.find(data_begin);
    ASSERT_NE(begin, std::string::npos);
    const std::size_t from = begin + data_begin.size();
    film_ = json::parse(page_.substr(from, page_.find("</script>", from) - from));
  }

  struct Leg {
    int traveller, from, to;
    std::int64_t depart, arrive, leave;
  };
  std::vector<Leg> legs() const {
    const auto numbers = film_["legs"].get<std::vector<std::int64_t>>();
    std::vector<Leg> result;
    std::int64_t depart = 0;
    for (std::size_t k = 0; k + 5 < numbers.size(); k += 6) {
      depart += numbers[k + 3];
      const std::int64_t arrive = depart + numbers[k + 4];
      result.push_back({static_cast<int>(numbers[k]), static_cast<int>(numbers[k + 1]),
                        static_cast<int>(numbers[k + 2]), depart, arrive, arrive + numbers[k + 5]});
    }
    return result;
  }

  std::string page_;
  json film_;
};

/// Adjacent routers, or a router and its own memory.
bool is_one_step(int from, int to, int width) {
  const int a = from / 2, b = to / 2;
  if (a == b) return from != to;
  const bool routers = from % 2 == 0 && to % 2 == 0;
  const bool row = a / width == b / width && std::abs(a - b) == 1;
  return routers && (row || std::abs(a - b) == width);
}

TEST_F(Animate, NeedsNothingFromOutside) {
  shoot("--size 4^3");
  for (const char* outside : {"http:", "https:", "//cdn", " src=", "href=", "@import", "url("})
    EXPECT_EQ(page_.find(outside), std::string::npos) << outside;
  for (const char* part : {"id=\"play\"", "id=\"back\"", "id=\"forth\"", "id=\"speed\"",
                           "id=\"time\"", "id=\"tip\"", "</html>"})
    EXPECT_NE(page_.find(part), std::string::npos) << part;
}

TEST_F(Animate, ShowsEveryStepOfEveryWaveletOfTheSimulation) {
  for (const char* arguments : {"--size 4^3", "--size 8^3 --schedule crossed --precision f16",
                                "--size 4^3 --schedule crossed --inverse",
                                "--size 6x6x6 --mesh 3x2 --schedule segmented"}) {
    shoot(arguments);
    const std::string simulate =
        std::string("simulate --level whole --cycles-only --json ") + arguments;
    const bool inverse = simulate.find("--inverse") != std::string::npos;
    const auto steps = legs();
    ASSERT_GT(steps.size(), 0U);
    const int width = film_["width"];
    std::int64_t hops = 0, before = 0;
    std::map<int, int> landings;
    for (const Leg& leg : steps) {
      ASSERT_TRUE(is_one_step(leg.from, leg.to, width)) << leg.from << " " << leg.to;
      ASSERT_LE(before, leg.depart);
      ASSERT_LT(leg.depart, leg.arrive);
      ASSERT_LE(leg.arrive, leg.leave);
      before = leg.depart;
      hops += leg.from / 2 != leg.to / 2 ? 1 : 0;
      if (leg.to % 2 == 1 &&
          film_["travellers"]["destination"][static_cast<std::size_t>(leg.traveller)] == leg.to / 2)
        ++landings[leg.traveller];
    }
    if (!inverse) {
      const json simulated = json::parse(run(simulate).out)["forward"];
      EXPECT_EQ(film_["cycles"], simulated["cycles"]) << arguments;
      EXPECT_EQ(hops, simulated["word_hops"]) << arguments;
    }
    for (const auto& [traveller, times] : landings) ASSERT_EQ(times, 1) << traveller;
    EXPECT_GT(landings.size(), 50U) << arguments;
  }
}

TEST_F(Animate, TransposesARing) {
  shoot("ring --cells 6");
  std::map<int, int> at;
  for (const Leg& leg : legs()) {
    const auto before = at.find(leg.traveller);
    EXPECT_TRUE(before == at.end() || before->second == leg.from) << leg.traveller;
    at[leg.traveller] = leg.to;
  }
  ASSERT_EQ(at.size(), 36U);
  for (const auto& [block, place] : at) EXPECT_EQ(place, block % 6 * 6 + block / 6);
}

TEST_F(Animate, RefusesWhatAPageCannotShow) {
  for (const auto& [arguments, because] : {std::pair{"--size 64^3", "smaller size"},
                                           {"ring --cells 100", "2 to 32"},
                                           {"torus", "choose wafer or ring"},
                                           {"--machine summit", "a wafer is needed"}}) {
    const ToolRun result = run(std::string("animate ") + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.complaints(), 1) << result.err;
    EXPECT_NE(result.err.find(because), std::string::npos) << result.err;
  }
  EXPECT_TRUE(files().empty());
}

/// Presses the buttons, draws the frames itself (how many a browser without a screen draws is
/// luck), points at a wavelet; then writes down what the page said.
const std::string visitor = R"(<script>
const said = {};
const frames = [];
window.requestAnimationFrame = (draw) => { frames.push(draw); };
const note = (name) => { said[name] = byId("now").textContent; };
note("opened");
byId("forth").click(); byId("forth").click(); note("stepped");
byId("back").click(); note("back");
const paused_at = shown;
byId("play").click(); said.playing = byId("play").textContent;
const start = performance.now();
for (let frame = 1; frame <= 25; ++frame) frames.shift()(start + 20 * frame);
byId("play").click(); said.paused = byId("play").textContent;
said.played = shown - paused_at;
frames.splice(0).forEach((draw) => draw(start + 1000)); said.still = shown - paused_at === said.played;
setTimeout(() => {
  for (let share = 0.1; !drawn.some((item) => people.destination[item.who] >= 0); share += 0.01)
    seek(length * share);
  const box = stage.getBoundingClientRect();
  for (const item of drawn.slice().reverse()) {
    stage.dispatchEvent(new PointerEvent("pointermove",
      {clientX: box.left + item.x, clientY: box.top + item.y, bubbles: true}));
    said.tip = byId("tip").innerText || byId("tip").textContent;
    said.tip_shown = byId("tip").style.display;
    if (said.tip.includes("to (") || said.tip.includes("to cell")) break;
  }
  seek(length); note("end");
  const report = document.createElement("pre");
  report.id = "report"; report.textContent = JSON.stringify(said);
  document.body.append(report);
}, 0);
</script></body>)";

TEST_F(Animate, PlaysStepsAndExplainsInABrowser) {
  std::string browser;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (browser.empty() &&
        std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0)
      browser = name;
  if (browser.empty())
    GTEST_SKIP() << "no chromium, chromium-browser or google-chrome: the page was not opened";
  for (const char* arguments : {"--size 4^3 --schedule crossed", "ring --cells 5"}) {
    shoot(arguments);
    const std::size_t end = page_.rfind("</body>");
    write_text("visit.html", page_.substr(0, end) + visitor + page_.substr(end + 7));
    const std::string command =
        "cd " + folder_.string() + " && HOME=" + folder_.string() + " timeout 60 " + browser +
        " --headless --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom file://" +
        path("visit.html").string() + " >dom.txt 2>browser.txt";
    ASSERT_EQ(std::system(command.c_str()), 0) << text_of("browser.txt");
    const std::string dom = text_of("dom.txt");
    const std::size_t begin = dom.find("<pre id=\"report\">");
    ASSERT_NE(begin, std::string::npos) << text_of("browser.txt");
    const std::size_t from = dom.find('{', begin);
    json said = json::parse(dom.substr(from, dom.find("</pre>", from) - from));
    EXPECT_EQ(said["opened"].get<std::string>().rfind("cycle 0 of", 0), 0U) << said;
    EXPECT_NE(said["stepped"], said["opened"]);
    EXPECT_NE(said["back"], said["stepped"]);
    EXPECT_EQ(said["playing"], "Pause");
    EXPECT_EQ(said["paused"], "Play");
    EXPECT_GT(said["played"], 0.0);
    EXPECT_TRUE(said["still"].get<bool>());
    EXPECT_EQ(said["tip_shown"], "block");
    EXPECT_NE(said["tip"].get<std::string>().find("from "), std::string::npos) << said["tip"];
    const bool is_wafer = film_["kind"] == "wafer";
    for (const char* part : {"value ", "to (", "color "})
      EXPECT_EQ(said["tip"].get<std::string>().find(part) != std::string::npos, is_wafer)
          << said["tip"];
    EXPECT_NE(said["end"].get<std::string>().find(": done"), std::string::npos) << said["end"];
  }
}

}  // namespace
}  // namespace weft::tool
