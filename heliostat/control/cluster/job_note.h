#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/time.h"

namespace heliostat::cluster {

// What we changed at a job and what was there before, as one word in its comment for operators, AdminComment:
// "heliostat:run=1795123049;begin=1795124850;begin-was=none;nice=50;nice-was=0". It lives as long as the job, and
// longer than we do.
struct JobNote {
  struct Begin {
    Instant set;
    std::optional<Instant> was;     // the earliest start by the owner's word; a past one counts as now
    std::optional<Instant> before;  // ours, before it was moved
    friend bool operator==(const Begin&, const Begin&) = default;
  };
  struct Number {
    int set = 0;
    int was = 0;
    friend bool operator==(const Number&, const Number&) = default;
  };

  Instant run;  // the submit time of the job's run. A begin and a suspension do not outlive it
  std::optional<Begin> begin;
  std::optional<Number> nice;
  std::optional<Number> throttle;
  bool is_suspended = false;  // by us
  bool is_let_go = false;     // its owner changed what we had set: not to be touched again

  bool empty() const { return !begin && !nice && !throttle && !is_suspended && !is_let_go; }
  friend bool operator==(const JobNote&, const JobNote&) = default;
};

// The note in a comment; nothing when there is none, or it is damaged.
std::optional<JobNote> ParseNote(std::string_view admin_comment);
// The comment with `note` in the place of an old one. What others wrote stays. An empty note is left out.
std::string WithNote(std::string_view admin_comment, const JobNote& note);

// The text of an annotation, another word of ours in the comment; empty when there is none.
std::string AnnotationIn(std::string_view admin_comment);
std::string WithAnnotation(std::string_view admin_comment, std::string_view text);

}  // namespace heliostat::cluster
