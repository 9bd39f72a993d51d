#pragma once

#include "heliostat/signals/signal_files/draft.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {

// One format: its detection and its reader. `matches` gets the header and the first row only; `read` starts at the row
// after the header.
struct Reader {
  FormatFacts facts;
  bool (*matches)(const Input& input);
  Result<SignalTable> (*read)(io::CsvReader& csv, const Input& input);
};

extern const Reader kCanonical;
extern const Reader kCapacityFactor;
extern const Reader kCarbonCast;
extern const Reader kCarbonCastForecast;
extern const Reader kChase;
extern const Reader kElectricityMapsExport;
extern const Reader kNeso;
extern const Reader kRtsGmlc;
extern const Reader kSolcast;
extern const Reader kSolcastForecast;
extern const Reader kWholesalePrice;
extern const Reader kZoneTable;

}  // namespace heliostat::signal_files
