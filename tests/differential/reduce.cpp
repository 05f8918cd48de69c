// Makes a failing trial small: fewer statements, entities, properties, columns and conditions, as long as its
// last statement still shows a difference.
#include "tests/differential/trial.h"

namespace table_storage::differential {

namespace {

class Reducer {
 public:
  Reducer(const Host& host, Trial trial, bool set_up, const std::function<bool()>& out_of_time)
      : host_(host), best_(std::move(trial)), set_up_(set_up), out_of_time_(out_of_time) {}

  Trial run() {
    for (std::size_t before = size() + 1; size() < before && !out_of_time_();) {
      before = size();
      statements();
      conditions();
      for (std::size_t i = 0; i < best_.scenario.stores.size(); ++i) {
        shrink([i](Trial & t) -> auto& { return t.scenario.stores[i].entities; });
      }
      shrink([](Trial & t) -> auto& { return t.scenario.helper; });
      for (std::size_t i = 0; i < best_.scenario.stores.size(); ++i) {
        for (std::size_t k = 0; k < best_.scenario.stores[i].entities.size(); ++k) {
          shrink([ i, k ](Trial & t) -> auto& { return t.scenario.stores[i].entities[k].properties; });
        }
      }
      for (std::size_t i = 0; i < best_.scenario.tables.size(); ++i) {
        shrink([i](Trial & t) -> auto& { return t.scenario.tables[i].columns; });
      }
    }
    return best_;
  }

 private:
  bool accept(Trial candidate) {
    if (out_of_time_()) return false;
    std::optional<Failure> failure = run_trial(host_, candidate, nullptr);
    if (!failure || failure->set_up != set_up_) return false;
    if (!set_up_ && failure->statement + 1 < candidate.statements.size()) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// Leaves out half of a list, a quarter, … down to single elements.
  template <typename ListOf>
  void shrink(ListOf list_of) {
    for (std::size_t chunk = (list_of(best_).size() + 1) / 2; chunk > 0; chunk /= 2) {
      for (std::size_t from = 0; from < list_of(best_).size();) {
        Trial candidate = best_;
        auto& list = list_of(candidate);
        auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
        list.erase(first, list.begin() + static_cast<std::ptrdiff_t>(std::min(from + chunk, list.size())));
        if (!accept(std::move(candidate))) from += chunk;
      }
    }
  }

  void statements() {
    for (std::size_t i = best_.statements.size(); i-- > 0;) {
      if (i + 1 == best_.statements.size() && !set_up_) continue;
      Trial candidate = best_;
      candidate.statements.erase(candidate.statements.begin() + static_cast<std::ptrdiff_t>(i));
      accept(std::move(candidate));
    }
    for (std::size_t i = 0; i < best_.statements.size(); ++i) {
      while (best_.statements[i].bindings.size() > 1) {
        Trial candidate = best_;
        candidate.statements[i].bindings.pop_back();
        if (accept(candidate)) continue;
        candidate = best_;
        candidate.statements[i].bindings.erase(candidate.statements[i].bindings.begin());
        if (!accept(std::move(candidate))) break;
      }
    }
  }

  void conditions() {
    for (std::size_t s = 0; s < best_.statements.size(); ++s) {
      for (std::size_t p = 0; p < best_.statements[s].pieces.size(); ++p) {
        if (!best_.statements[s].pieces[p].condition) continue;
        auto condition_of = [s, p](Trial& t) -> Condition& { return *t.statements[s].pieces[p].condition; };
        for (bool smaller = true; smaller;) {
          smaller = false;
          Condition now = condition_of(best_);
          std::vector<Condition> choices = now.parts;
          if (now.text != "TRUE") choices.push_back({"TRUE", {}, false, {}});
          for (Condition part : now.parts) choices.push_back(part);
          if (now.negated) {
            Condition plain = now;
            plain.negated = false;
            choices.push_back(plain);
          }
          for (std::size_t drop = 0; now.parts.size() > 2 && drop < now.parts.size(); ++drop) {
            Condition fewer = now;
            fewer.parts.erase(fewer.parts.begin() + static_cast<std::ptrdiff_t>(drop));
            choices.push_back(fewer);
          }
          for (std::size_t k = 0; k < now.parts.size(); ++k) {
            for (const Condition& inner : now.parts[k].parts) {
              Condition lifted = now;
              lifted.parts[k] = inner;
              choices.push_back(lifted);
            }
          }
          for (const Condition& choice : choices) {
            Trial candidate = best_;
            condition_of(candidate) = choice;
            if (accept(std::move(candidate))) {
              smaller = true;
              break;
            }
          }
        }
      }
    }
  }

  std::size_t size() {
    std::size_t n = best_.statements.size() + best_.scenario.helper.size();
    for (const Statement& s : best_.statements) n += s.sql(false).size();
    for (const Store& store : best_.scenario.stores) {
      for (const Entity& e : store.entities) n += 1 + e.properties.size();
    }
    for (const ForeignTable& t : best_.scenario.tables) n += t.columns.size();
    return n;
  }

  const Host& host_;
  Trial best_;
  bool set_up_;
  const std::function<bool()>& out_of_time_;
};

}  // namespace

Trial reduced(const Host& host, Trial trial, const Failure& failure,
              const std::function<bool()>& out_of_time) {
  if (failure.set_up) {
    trial.statements.clear();
  } else if (failure.statement < trial.statements.size()) {
    trial.statements.resize(failure.statement + 1);
  }
  return Reducer(host, std::move(trial), failure.set_up, out_of_time).run();
}

}  // namespace table_storage::differential
