// SPDX-License-Identifier: BSD-3-Clause
#include "animation.hpp"

#include <nlohmann/json.hpp>

#include "film_page.hpp"

namespace weft::tool {
namespace {

using nlohmann::json;

json travellers_json(const std::vector<Traveller>& travellers) {
  json result = {{"source", json::array()}, {"destination", json::array()},
                 {"color", json::array()},  {"phase", json::array()},
                 {"what", json::array()},   {"value", json::array()}};
  for (const Traveller& traveller : travellers) {
    result["source"].push_back(traveller.source);
    result["destination"].push_back(traveller.destination);
    result["color"].push_back(traveller.color);
    result["phase"].push_back(traveller.phase);
    result["what"].push_back(traveller.what);
    result["value"].push_back(traveller.value);
  }
  return result;
}

/// Six numbers each, times as differences: small numbers make a small page.
json legs_json(const std::vector<Leg>& legs) {
  json result = json::array();
  Cycle before = 0;
  for (const Leg& leg : legs) {
    for (const std::int64_t number :
         {std::int64_t{leg.traveller}, std::int64_t{leg.from}, std::int64_t{leg.to},
          static_cast<std::int64_t>(leg.depart - before),
          static_cast<std::int64_t>(leg.arrive - leg.depart),
          static_cast<std::int64_t>(leg.leave - leg.arrive)})
      result.push_back(number);
    before = leg.depart;
  }
  return result;
}

json film_json(const Film& film) {
  json stretches = json::array(), work = json::array();
  for (const Stretch& stretch : film.stretches)
    stretches.push_back({stretch.begin, stretch.end, stretch.name});
  for (const Stretch& stretch : film.work)
    work.push_back({stretch.element, stretch.begin, stretch.end, stretch.name});
  return {{"kind", film.kind},
          {"title", film.title},
          {"notes", film.notes},
          {"width", film.width},
          {"height", film.height},
          {"cycles", film.cycles},
          {"stretches", stretches},
          {"work", work},
          {"legs", legs_json(film.legs)},
          {"travellers", travellers_json(film.travellers)}};
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::string to_html(const Film& film) {
  std::string data = film_json(film).dump();
  replace_all(data, "</", "<\\/");  // nothing in it ends the script that holds it
  std::string page = film_page;
  const std::string place = "@film@";
  page.replace(page.find(place), place.size(), data);
  return page;
}

}  // namespace weft::tool
