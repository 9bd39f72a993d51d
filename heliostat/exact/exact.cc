#include "heliostat/exact/exact.h"
