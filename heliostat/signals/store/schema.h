#pragma once

#include "heliostat/base/io/sqlite.h"

namespace heliostat::store {

// The tables of a signal store and how each version became the next.
const io::DatabaseSchema& StoreSchema();

}  // namespace heliostat::store
