#include "heliostat/serving/latency.h"
