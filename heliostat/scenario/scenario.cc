#include "heliostat/scenario/scenario.h"
