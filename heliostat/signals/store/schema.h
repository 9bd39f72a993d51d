#pragma once

#include "heliostat/base/io/sqlite.h"

namespace heliostat::store {

// The tables of a signal store and the migrations between its versions.
const io::DatabaseSchema& StoreSchema();

}  // namespace heliostat::store
